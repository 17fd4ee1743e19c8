# The usual commands; CMakeLists.txt does the work.
#
#   make            build the library and the program in build/
#   make demo       install what is missing, build, run an example, draw it
#   make python     the Python package in build/python (or: pip install ./python)
#   make test       install what is missing, build and run the tests
#   make check      the same, and the long tests, the sanitizers, a second
#                   compiler: what a change must pass
#   make install    PREFIX=/usr/local DESTDIR=
#   make package    a Debian package and an archive of the sources, in build/package
#   make fuzz       feed the readers nonsense for FUZZ_SECONDS=600
#   make bench      run every benchmark
#   make coverage   list the statements that no test executes
#   make format     lay the sources out
#   make clean      remove all build directories

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all setup demo python test check install package fuzz bench coverage format clean

# The tests of a tree that has them are not built here.
all:
	cmake --preset program
	cmake --build --preset program -j $(JOBS)

setup:
	@sh tools/setup.sh run

demo: setup
	@$(MAKE) --no-print-directory all
	@mkdir -p build/demo
	build/yoke run dc-drive --output-file build/demo/drive.csv
	build/yoke plot build/demo/drive.csv \
		-v 'motor.speed,controller.want,controller.u,driver.i(l1)' \
		--title "A drive of an FMU, a netlist and equations" \
		-o build/demo/drive.png
	build/yoke report build/demo/drive.csv -o build/demo/drive.html
	@echo "The picture is build/demo/drive.png, the page build/demo/drive.html"

python:
	@sh tools/setup.sh python
	cmake --preset program
	cmake --build --preset program -j $(JOBS) --target yoke_python
	@echo "The package is in build/python: PYTHONPATH=build/python, or pip install ./python"

test:
	@sh tools/setup.sh test
	@JOBS="$(JOBS)" sh tools/test.sh

check:
	@sh tools/setup.sh check
	@$(MAKE) --no-print-directory test
	@JOBS="$(JOBS)" sh tools/test.sh more

install: all
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)" --component mpi

package:
	@sh tools/setup.sh package
	@$(MAKE) --no-print-directory all
	@sh tools/package.sh

fuzz:
	@sh tools/setup.sh check
	@JOBS="$(JOBS)" sh tools/fuzz.sh $(FUZZ_SECONDS)

bench: all
	cmake --build build -j $(JOBS) --target benches
	@sh tools/bench.sh

coverage:
	@JOBS="$(JOBS)" sh tools/coverage.sh

format:
	@sh tests/static/sources.sh | xargs -d '\n' clang-format -i

clean:
	rm -rf build build-dev build-clang build-coverage build-fuzz
