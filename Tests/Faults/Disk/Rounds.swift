import Foundation

/// Runs many rounds of a test, a few at a time across all tests, to share the machine.
enum Rounds {
    /// The factor by which the number of rounds is multiplied, for long runs.
    static let factor = ProcessInfo.processInfo.environment["SEGDL_CRASH_ROUNDS"].flatMap { Int($0) } ?? 1

    private static let gate = Gate(places: 4)

    /// Runs `body` for each of the elements.
    static func run<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for element in elements {
                group.addTask { try await one { try await body(element) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Runs rounds 1, 2, 3 … until some of them have nothing left to do.
    ///
    /// - Parameter body: Returns `nil` if there was nothing to do for its number.
    static func untilDone<Result: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Result?
    ) async throws -> [Result] {
        var results: [Result] = []
        var first = 1
        while true {
            // The number of calls varies slightly between runs: a single miss is not yet the end.
            let batch = try await run(Array(first..<first + 8), body).compactMap { $0 }
            results += batch
            if batch.count <= 4 { return results }
            first += 8
        }
    }

    static func one<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await gate.pass(body)
    }
}
