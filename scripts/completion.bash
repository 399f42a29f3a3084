# bash completion for the programs of flamepipe: options are read from --help.
_flamepipe() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null | grep -oE '(^| )--[a-z][a-z-]*')" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _flamepipe pprof2tree jfr2tree stackmerge flamediff flamesvg
