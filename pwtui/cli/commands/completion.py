"""`pw completion`: the scripts that make a shell ask `pw __complete`."""

from __future__ import annotations

from pwtui.cli.context import OK, Context

_SCRIPTS = {
    "bash": """\
_pw() {
    local IFS=$'\\n'
    COMPREPLY=($(command pw __complete --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace
}
complete -F _pw pw""",
    "zsh": """\
#compdef pw
_pw() {
    local -a words_found texts open_words open_texts
    local word about
    while IFS=$'\\t' read -r word about; do
        if [[ $word == *[=/] ]]; then
            open_words+=("$word") open_texts+=("$word${about:+  -- $about}")
        else
            words_found+=("$word") texts+=("$word${about:+  -- $about}")
        fi
    done < <(command pw __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    (( $#words_found )) && compadd -l -d texts -a words_found
    (( $#open_words )) && compadd -l -S '' -d open_texts -a open_words
}
compdef _pw pw""",
    "fish": """\
function __pw_complete
    set -l words (commandline -opc) (commandline -ct)
    command pw __complete $words[2..-1] 2>/dev/null
end
complete -c pw -f -a '(__pw_complete)'""",
}


async def completion_command(context: Context, shell: str) -> int:
    context.terminal.data(_SCRIPTS[shell])
    return OK
