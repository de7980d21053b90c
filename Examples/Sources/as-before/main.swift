import Foundation
import SegmentedDL

let programs = [
    "receipts": receipts, "by-key": byKey, "careful": careful, "queue-of-three": queueOfThree,
    "session": session,
]
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3, let program = programs[arguments[0]] else {
    print("usage: as-before \(programs.keys.sorted().joined(separator: "|")) DIRECTORY URL…")
    exit(64)
}
try await program(FilePath(arguments[1]), Array(arguments.dropFirst(2)))
