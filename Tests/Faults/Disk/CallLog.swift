/// The shim's log of one run: the calls in order, each logged before it was made.
struct CallLog {
    struct Call: Equatable {
        var name: String
        var file: String
        var isFaulty: Bool
    }

    var calls: [Call]

    init(_ text: String) {
        calls = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3 else { return nil }
            return Call(
                name: String(words[1]), file: String(words[2]), isFaulty: words.last == "!")
        }
    }

    /// True if the shim injected a fault.
    var wasReached: Bool { calls.contains(where: \.isFaulty) }

    /// The phase of the download at the fault; without a fault, at the last call.
    var phase: Phase {
        let place = calls.firstIndex(where: \.isFaulty) ?? max(0, calls.count - 1)
        return calls.isEmpty ? .probe : Phase(of: calls[place], after: calls[..<place])
    }
}

/// A download's phases, as identified by its file system calls.
enum Phase: String, CaseIterable, Sendable {
    case probe, preallocation, transfer, checkpoint, verify, finalize

    init(of call: CallLog.Call, after earlier: ArraySlice<CallLog.Call>) {
        func before(_ name: String, _ ending: String) -> Bool {
            earlier.contains { $0.name == name && $0.file.hasSuffix(ending) }
        }
        let isFinal =
            ["renameat2", "link", "linkat"].contains(call.name) || before("renameat2", ".part")
            || before("linkat", "")
        if isFinal || before("rename", ".part") || (call.name == "rename" && call.file.hasSuffix(".part")) {
            self = .finalize
        } else if call.file.hasSuffix(".new") {
            self = .checkpoint
        } else if call.name == "pread" {
            self = .verify
        } else if before("pwrite", ".part") {
            self = call.name == "fdatasync" ? .checkpoint : .transfer
        } else if call.name == "pwrite" {
            self = .transfer
        } else if call.name == "fdatasync" {
            self = .checkpoint
        } else {
            self = before("create", ".part") || before("unnamed", "") ? .preallocation : .probe
        }
    }
}

/// How often each phase was hit.
struct Tally: Sendable, CustomStringConvertible {
    private(set) var counts: [Phase: Int] = [:]

    mutating func add(_ phase: Phase) { counts[phase, default: 0] += 1 }

    var total: Int { counts.values.reduce(0, +) }

    var missing: [Phase] { Phase.allCases.filter { counts[$0] == nil } }

    var description: String {
        let parts = Phase.allCases.map { "\($0.rawValue) \(counts[$0] ?? 0)" }
        return "\(total) (\(parts.joined(separator: ", ")))"
    }
}
