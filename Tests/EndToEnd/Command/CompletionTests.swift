import TestSupport
import Testing

/// The completions offered by a real bash.
@Suite struct CompletionTests {
    /// Splits the line like readline: words also end at colons and equals signs.
    private static let harness = """
        eval "$("$1" --generate-completion-script bash)"
        COMP_LINE="$2" COMP_POINT="${#2}" COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3)) COMPREPLY=()
        _segdl segdl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    private func offers(_ line: String) async throws -> [Substring] {
        var words = [""]
        for letter in line {
            switch letter {
            case " ": words.append("")
            case ":", "=": words += [String(letter), ""]
            default: words[words.count - 1].append(letter)
            }
        }
        // An empty word occurs only at the end.
        words = words.dropLast().filter { !$0.isEmpty } + [words[words.count - 1]]
        let process = try ChildProcess("/bin/bash", ["-c", Self.harness, "bash", Segdl.path, line] + words)
        return await process.result().output.split(separator: "\n")
    }

    @Test(
        "options are completed without a subcommand",
        arguments: [
            ("segdl http://h:80/a --limit-ra", ["--limit-rate", "--limit-rate-per-file"]),
            ("segdl --limit-ra", ["--limit-rate", "--limit-rate-per-file"]),
            ("segdl fetch http://h/a --limit-ra", ["--limit-rate", "--limit-rate-per-file"]),
            ("segdl -q h/a --if-exists re", ["replace", "rename"]),
            ("segdl h/a --if-exists=re", ["replace", "rename"]),
            ("segdl mirror --delete-a", ["--delete-all"]),
            ("segdl mirror http://h:80/ dir --delete-a", ["--delete-all"]),
            ("segdl mirror start http://h:80/ dir --delete-a", ["--delete-all"]),
        ])
    func implied(line: String, offers: [String]) async throws {
        #expect(Set(try await self.offers(line)) == Set(offers.map { Substring($0) }))
    }

    @Test(
        "subcommands are still completed",
        arguments: [
            ("segdl mir", "mirror"), ("segdl mirror rep", "report"), ("segdl queue ad", "add"),
            ("segdl queue add --prio", "--priority"), ("segdl serve --rpc-secret-f", "--rpc-secret-file"),
        ])
    func named(line: String, offer: Substring) async throws {
        #expect(try await offers(line) == [offer])
    }

    @Test("each shell's script adds the implied subcommand", arguments: ["bash", "zsh", "fish"])
    func shells(shell: String) async throws {
        let script = try await ChildProcess(Segdl.path, ["--generate-completion-script", shell]).result()
            .output
        #expect(script.contains("__segdl_imply"))
        #expect(script.contains(shell == "fish" ? "__segdl_typed_tokens" : "_segdl_commands() {"))
    }
}
