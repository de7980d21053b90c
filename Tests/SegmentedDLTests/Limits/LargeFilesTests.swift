import Testing

@testable import SegmentedDL

@Suite("Large files that were requested together start a few at a time")
struct LargeFilesTests {
    /// Returns twenty active files that were all answered over a shared connection.
    private func driver() -> SchedulerDriver {
        let driver = SchedulerDriver()
        driver.set {
            $0 = Limits()
            $0.requestsPerHost = 100
        }
        for file in 1...4 { driver.submit(file) }
        for file in 1...4 { ask(driver, file) }
        for file in 1...4 { found(driver, file, isLarge: false) }
        for file in 5...20 {
            driver.submit(file)
            ask(driver, file)
        }
        return driver
    }

    private func ask(_ driver: SchedulerDriver, _ file: Int) {
        _ = driver.state.request(file, file: file, host: "a", mayShare: true, now: 0)
        _ = driver.state.answered(file, isShared: true, now: 0)
    }

    @discardableResult
    private func found(_ driver: SchedulerDriver, _ file: Int, isLarge: Bool, isShared: Bool = true) -> Bool {
        driver.state.found(file, isLarge: isLarge, isShared: isShared, now: 0).begins
    }

    @Test("four start, the others wait, and each that ends starts the next one, in order")
    func turns() {
        let driver = driver()
        #expect(driver.state.activeFiles == 20)
        #expect((5...8).allSatisfy { found(driver, $0, isLarge: true) })
        // The responses arrive in a different order than the files.
        for file in [12, 10, 11, 9] { #expect(!found(driver, file, isLarge: true)) }
        #expect(found(driver, 13, isLarge: false), "a small one does not wait")
        driver.release(6)
        #expect(driver.withdraw(6).contains(.start(9)))
        driver.release(5)
        #expect(driver.withdraw(5).contains(.start(10)))
        #expect(!driver.withdraw(13).contains { [.start(11), .start(12)].contains($0) })
    }

    @Test("one that is cancelled while it waits takes no turn")
    func givenUp() {
        let driver = driver()
        for file in 5...8 { found(driver, file, isLarge: true) }
        #expect(!found(driver, 9, isLarge: true))
        #expect(!found(driver, 10, isLarge: true))
        driver.release(9)
        #expect(!driver.withdraw(9).contains(.start(10)))
        #expect(driver.withdraw(7).contains(.start(10)))
    }

    @Test("with their own connections, and with a fixed number of files, none waits")
    func none() {
        let own = driver()
        #expect((5...12).allSatisfy { found(own, $0, isLarge: true, isShared: false) })
        let fixed = driver()
        fixed.set { $0.activeFiles = 50 }
        #expect((5...12).allSatisfy { found(fixed, $0, isLarge: true) })
    }
}
