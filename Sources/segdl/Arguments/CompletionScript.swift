import ArgumentParser

/// The completion script for a shell. The parser's own scripts complete nothing if the subcommand is omitted,
/// as in `segdl URL --limit-rate` and `segdl mirror URL --delete`: here the implied one is inserted first.
enum CompletionScript {
    /// Subcommands, and arguments in their place.
    private static let commands = ArgumentTranslation.subcommands + ["help", "aria2c"]
    private static let mirrorCommands = ["start", "report", "help"]

    /// Returns the script that the arguments request; `nil` if they request something else.
    static func answer(to arguments: [String], of root: any ParsableCommand.Type) -> String? {
        let option = "--generate-completion-script"
        guard let first = arguments.first, first.hasPrefix(option), arguments.count <= 2 else { return nil }
        let name = first == option ? arguments.dropFirst().first : String(first.dropFirst(option.count + 1))
        let shell = name.map { CompletionShell(rawValue: $0) } ?? CompletionShell.autodetected()
        return shell.flatMap { script(for: $0, of: root) }
    }

    private static func script(for shell: CompletionShell, of root: any ParsableCommand.Type) -> String? {
        let parsers = root.completionScript(for: shell)
        switch shell {
        case .bash: return parsers.replacing("\n_segdl() {", with: "\n_segdl_commands() {") + bash
        case .zsh:
            return parsers.replacing("\n_segdl() {", with: "\n\(zsh)\n_segdl_commands() {")
        case .fish:
            return parsers.replacing("function __segdl_tokens\n", with: "function __segdl_typed_tokens\n")
                + fish
        default: return nil
        }
    }

    // MARK: Shells

    private static let bash = """

        # Joins words that readline has split at a colon or an equals sign, and adds implied subcommands.
        _segdl() {
            local -a words=()
            local -i place=0 index
            local rest="${COMP_LINE}" trimmed
            for index in "${!COMP_WORDS[@]}"; do
                trimmed="${rest#"${rest%%[![:space:]]*}"}"
                if [[ "${index}" -eq 0 || "${trimmed}" != "${rest}" || -z "${COMP_WORDS[${index}]}" ]]; then
                    words+=("${COMP_WORDS[${index}]}")
                else
                    words[${#words[@]} - 1]+="${COMP_WORDS[${index}]}"
                fi
                rest="${trimmed#"${COMP_WORDS[${index}]}"}"
                [[ "${index}" -eq "${COMP_CWORD}" ]] && place=$((${#words[@]} - 1))
            done
            __segdl_imply 1 fetch \(commands.joined(separator: " "))
            [[ "${words[1]}" = mirror ]] && __segdl_imply 2 start \(mirrorCommands.joined(separator: " "))
            local previous="${words[${place} - 1]}"
            [[ "${words[${place}]}" = --*=* ]] && previous="${words[${place}]%%=*}"
            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="${place}"
            _segdl_commands "${1}" "${2}" "${previous}"
        }

        # positional arguments: the position of a subcommand, the implied one, and all that may be there
        __segdl_imply() {
            local -i at="${1}"
            local word="${words[${at}]:-}" name
            [[ "${place}" -lt "${at}" ]] && return
            for name in "${@:3}"; do
                [[ "${word}" = "${name}" || "${place}" -eq "${at}" && "${name}" = "${word}"* ]] && return
            done
            words=("${words[@]::${at}}" "${2}" "${words[@]:${at}}")
            ((place += 1))
        }

        """

    private static let zsh = """
        # Adds implied subcommands.
        _segdl() {
            __segdl_imply 2 fetch \(commands.joined(separator: " "))
            [[ "${words[2]}" = mirror ]] && __segdl_imply 3 start \(mirrorCommands.joined(separator: " "))
            _segdl_commands "${@}"
        }

        # positional arguments: the position of a subcommand, the implied one, and all that may be there
        __segdl_imply() {
            local -i at="${1}"
            local word="${words[${1}]}" name
            (( CURRENT < at )) && return
            for name in "${@:3}"; do
                [[ "${word}" = "${name}" ]] && return
                (( CURRENT == at )) && [[ "${name}" = "${word}"* ]] && return
            done
            words=("${(@)words[1,at-1]}" "${2}" "${(@)words[at,-1]}")
            (( CURRENT += 1 ))
        }

        """

    private static let fish = """

        # Adds implied subcommands to the tokens before the cursor.
        function __segdl_tokens
            set -l tokens (__segdl_typed_tokens $argv)
            if test "$argv" = -pc
                set -l current (__segdl_typed_tokens -t)
                __segdl_imply 1 fetch \(commands.joined(separator: " "))
                if test "$tokens[2]" = mirror
                    __segdl_imply 2 start \(mirrorCommands.joined(separator: " "))
                end
            end
            if set -q tokens[1]
                printf '%s\\n' $tokens
            end
        end

        # positional arguments: the position before a subcommand, the implied one, and all that may be there
        function __segdl_imply -S -a before implied
            if test (count $tokens) -gt $before
                contains -- $tokens[(math $before + 1)] $argv[3..]; and return
                set tokens $tokens[..$before] $implied $tokens[(math $before + 1)..]
            else if test (count $tokens) -eq $before; and string match -q -- '-*' "$current"
                set -a tokens $implied
            end
        end

        """
}
