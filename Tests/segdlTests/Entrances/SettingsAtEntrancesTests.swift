import Testing

/// Each setting at each entrance reaches the core, or is refused with a message.
@Suite("A setting of a file")
struct SettingsAtEntrancesTests {
    @Test(
        "reaches the core through a daemon",
        arguments: [Setting.noServerDigest, .secondChecksum, .skip, .priority, .types, .proofKey])
    func remote(_ setting: Setting) async throws {
        let queue = try await RecordingQueue()
        let received = try #require(try await Entrance.remote.received(setting, queue))
        #expect(setting.isIn(received))
        try await queue.end()
    }

    @Test("reaches the core from each entrance, or is refused with a message", arguments: Entrance.allCases)
    func arrives(at entrance: Entrance) async throws {
        let queue = try await RecordingQueue()
        var lost: Set<Setting> = []
        var arrived = 0
        var refusals: [String] = []
        for setting in Setting.allCases {
            do {
                guard let received = try await entrance.received(setting, queue) else { continue }
                if setting.isIn(received) { arrived += 1 } else { lost.insert(setting) }
            } catch {
                #expect(!"\(error)".isEmpty, "\(entrance) refuses \(setting) without a word")
                refusals.append("\(error)")
            }
        }
        try await queue.end()
        #expect(lost.isEmpty, "\(entrance) loses \(lost)")
        #expect(arrived > 0, "\(refusals)")
    }
}
