import Testing

@testable import SegmentedDL

@Suite("The obstacle to a connection")
struct ConnectionObstacleTests {
    private func obstacle(_ driver: SchedulerDriver, of file: Int) -> ConnectionObstacle? {
        driver.state.obstacle(of: file, at: "a", now: driver.now)
    }

    @Test("is none for a file that does not wait for one")
    func none() {
        let driver = SchedulerDriver()
        driver.submit(1)
        #expect(obstacle(driver, of: 1) == nil)
        driver.request(1, file: 1)
        #expect(obstacle(driver, of: 1) == nil)
    }

    @Test("the cap on all connections")
    func connections() {
        let driver = SchedulerDriver(connections: 2)
        for file in 1...2 { driver.submit(file) }
        driver.request(1, file: 1, host: "a")
        driver.request(2, file: 2, host: "b")
        driver.request(3, file: 2, host: "b")
        #expect(obstacle(driver, of: 2) == .connections(2))
        #expect(obstacle(driver, of: 1) == nil)
    }

    @Test("a connection reserved for another file")
    func reserved() {
        let driver = SchedulerDriver(connections: 2)
        for file in 1...2 { driver.submit(file) }
        driver.request(1, file: 1)
        driver.request(2, file: 1)
        #expect(obstacle(driver, of: 1) == .connections(2))
    }

    @Test("the cap on one host")
    func perHost() {
        let driver = SchedulerDriver(perHost: 1)
        driver.submit(1)
        driver.request(1, file: 1)
        driver.request(2, file: 1)
        #expect(obstacle(driver, of: 1) == .connectionsPerHost(1))
    }

    @Test("the host's own limit, while it is paused and as long as its cap is lower")
    func host() {
        let driver = SchedulerDriver()
        driver.submit(1)
        for connection in 1...3 { driver.request(connection, file: 1) }
        driver.refused(3, retryAfter: 5)
        driver.release(3)
        driver.request(4, file: 1)
        #expect(obstacle(driver, of: 1) == .host)
        driver.tick(at: 6)
        #expect(obstacle(driver, of: 1) == .host, "two are open, and it takes two")
        driver.release(4)
        #expect(obstacle(driver, of: 1) == .host, "also if no third one is asked for")
        driver.release(2)
        #expect(obstacle(driver, of: 1) == nil)
    }

    @Test("another file's refusal is none for a file that needs no further connection")
    func otherFile() {
        let driver = SchedulerDriver()
        for file in 1...2 { driver.submit(file) }
        driver.request(1, file: 1)
        driver.request(2, file: 2)
        driver.refused(2)
        driver.release(2)
        driver.tick(at: 0.5)
        #expect(obstacle(driver, of: 1) == nil)
        driver.request(3, file: 1)
        #expect(obstacle(driver, of: 1) == .host)
    }
}
