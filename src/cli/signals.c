/* cli/signals.c -- signals and standard streams.
 *
 * Writing to a pipe that was closed, or beyond the permitted size of a file, is
 * an error of that write, with a message, and not the end of the program: the
 * signals are caught and ignored.  They are not set to SIG_IGN, which programs
 * that we start would inherit.
 *
 * An interrupt asks a run to stop, which it does between two steps.  A run that
 * has computed on for a second (a huge matrix, initial values that are looked
 * for) ends at once, and so does one that is interrupted twice.  Rows
 * that were written by then are safe: they were flushed within the last second.
 */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Of processor time, so that a busy machine does not end a run that would have
 * stopped; for each processor, since threads spend it at once. */
enum { GRACE_SECONDS = 1 };

/* Free of locks, so a handler may write them and threads may read them. */
static atomic_int interrupted; /* number of the signal */
static atomic_int stopping;    /* a run listens */
static atomic_int patient;     /* the run is saved before it stops */
static int processors = 1;     /* that may spend time for it at once */

static void end_at_once(int signal_number)
{
    static const char text[] =
        "\nyoke: interrupted; rows written so far are in the result files\n";

    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
    _exit(128 + signal_number);
}

static void set_clock(int seconds)
{
    struct itimerval clock;

    memset(&clock, 0, sizeof clock);
    clock.it_value.tv_sec = seconds;
    (void)setitimer(ITIMER_PROF, &clock, NULL);
}

static void on_interrupt(int signal_number)
{
    const int before = errno;

    if (interrupted || !stopping) end_at_once(signal_number);
    interrupted = signal_number;
    if (!patient) set_clock(GRACE_SECONDS * processors);
    errno = before;
}

static void on_clock(int signal_number)
{
    (void)signal_number;
    if (interrupted) end_at_once(interrupted);
}

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

static bool is_ignored(int signal_number)
{
    struct sigaction action;

    return sigaction(signal_number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

static void catch (int signal_number, void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    (void)sigaction(signal_number, &action, NULL);
}

/* The signals that ask a run to stop. */
static void catch_asks(void (*handler)(int))
{
    static const int asks[] = { SIGINT, SIGTERM, SIGHUP };

    for (int i = 0; i < 3; i++)
        if (!is_ignored(asks[i])) catch (asks[i], handler);
}

/* A file that is opened must not become a standard stream: what is printed
 * would go into it.  Writing to the ones made here fails. */
static void fill_streams(void)
{
    static const int way[] = { O_WRONLY, O_RDONLY, O_RDONLY };

    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", way[i]); /* gets the least free number */
}

void cli_signals(void)
{
    fill_streams();
    catch (SIGPIPE, do_nothing);
    catch (SIGXFSZ, do_nothing);
}

void cli_interrupt_begin(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (online > 1 && online < 100000) processors = (int)online;
    stopping = 1;
    catch (SIGPROF, on_clock);
    catch_asks(on_interrupt);
}

void cli_interrupt_patient(void)
{
    patient = 1;
    set_clock(0); /* of an interrupt that came before */
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

void cli_interrupt_end(void)
{
    stopping = 0;
    if (interrupted) set_clock(GRACE_SECONDS * processors);
}

void cli_interrupt_forget(void)
{
    catch_asks(SIG_DFL);
}

void cli_interrupt_close(void)
{
    set_clock(0);
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    /* Who closed a pipe knows. */
    if (errno != EPIPE) perror("yoke: standard output");
    return CLI_FAILED;
}
