# Completion of yoke for bash: verbs, options and their words, examples, files.
# Everything but the kinds of files comes from `yoke help --options`.

# Lines of standard input become completions: names may contain blanks.
_yoke_add() {
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done
}

# Folders, and files with one of the given endings.
_yoke_files() {
    local ending
    compopt -o filenames 2>/dev/null
    _yoke_add < <(compgen -d -- "$current")
    for ending in "$@"; do
        _yoke_add < <(compgen -f -X "!*.$ending" -- "$current")
    done
}

_yoke_words() {
    _yoke_add < <(compgen -W "$1" -- "$current")
}

# What may stand behind an option: its value in the listing.
_yoke_value() {
    case $1 in
    FILE)
        compopt -o filenames 2>/dev/null
        _yoke_add < <(compgen -f -- "$current")
        ;;
    [[:lower:]]*) _yoke_words "$1" ;;
    esac
}

_yoke_arguments() {
    case $1 in
    run | check | verify | sweep | export)
        _yoke_files yaml yoke ssp ssd
        _yoke_words "$("$yoke" example --names 2>/dev/null)"
        ;;
    info)
        _yoke_files yaml yoke mo csv h5 fmu ssp ssd
        _yoke_words "$("$yoke" example --names 2>/dev/null)"
        ;;
    plot | report | compare) _yoke_files csv h5 ;;
    example) _yoke_words "$("$yoke" example --names 2>/dev/null)" ;;
    help) _yoke_words "$verbs" ;;
    esac
}

_yoke() {
    local yoke=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]}
    local verb=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local verbs listing value
    COMPREPLY=()
    verbs=$("$yoke" help --options 2>/dev/null | cut -f 1)
    if [ "$COMP_CWORD" -eq 1 ]; then
        _yoke_words "$verbs --help --version"
        return
    fi
    listing=$("$yoke" help --options "$verb" 2>/dev/null)
    value=$(printf '%s\n' "$listing" |
        awk -F '\t' -v option="$before" '$1 == option { print $2 }')
    if [ -n "$value" ]; then
        _yoke_value "$value"
    elif [ "${current#-}" != "$current" ]; then
        _yoke_words "$(printf '%s\n' "$listing" | cut -f 1)"
    else
        _yoke_arguments "$verb"
    fi
}

complete -F _yoke yoke
