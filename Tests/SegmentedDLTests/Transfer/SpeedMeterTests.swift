import Testing

@testable import SegmentedDL

@Suite("The speed meter")
struct SpeedMeterTests {
    @Test("one sample is not a speed")
    func tooFew() {
        var meter = SpeedMeter()
        #expect(meter.bytesPerSecond == 0)
        meter.note(100, at: 1)
        #expect(meter.bytesPerSecond == 0)
        meter.note(200, at: 1)
        #expect(meter.bytesPerSecond == 0)
    }

    @Test("a steady speed is exact")
    func steady() {
        var meter = SpeedMeter()
        for step in 0...40 { meter.note(Int64(step) * 250, at: Double(step) / 4) }
        #expect(meter.bytesPerSecond == 1000)
    }

    @Test("bytes before the window do not count")
    func window() {
        var meter = SpeedMeter()
        for second in 0...10 { meter.note(Int64(second) * 1000, at: Double(second)) }
        for second in 11...14 { meter.note(10_000, at: Double(second)) }
        #expect(meter.bytesPerSecond == 0)
    }

    @Test("a decreasing number restarts it")
    func fallen() {
        var meter = SpeedMeter()
        meter.note(1_000_000, at: 0)
        meter.note(2_000_000, at: 1)
        meter.note(0, at: 1.5)
        #expect(meter.bytesPerSecond == 0)
        meter.note(100, at: 2.5)
        #expect(meter.bytesPerSecond == 100)
    }

    @Test("the sleep of a machine is not part of the time", arguments: [0.2, 1.0])
    func sleep(interval: Double) {
        var meter = SpeedMeter()
        var bytes: Int64 = 0
        for step in 0...40 {
            bytes = Int64(Double(step) * interval * 1000)
            meter.note(bytes, at: Double(step) * interval)
        }
        // The kernel may have buffered a few bytes more.
        for step in 0...1 {
            meter.note(bytes + 100, at: 3600 + Double(step) * interval)
            #expect((600...1100).contains(meter.bytesPerSecond))
        }
    }

    @Test("several readings at one moment, each minute, are not sleep")
    func bursts() {
        var meter = SpeedMeter()
        for minute in 0...5 {
            for look in 0...2 {
                meter.note(Int64(minute) * 6000, at: Double(minute) * 60 + Double(look) / 100)
            }
        }
        #expect((99...101).contains(meter.bytesPerSecond))
    }

    @Test("the window of several files is longer")
    func longer() {
        var meter = SpeedMeter(window: 5)
        for second in 0...10 { meter.note(Int64(second) * 100, at: Double(second)) }
        for second in 11...14 { meter.note(1000, at: Double(second)) }
        #expect(meter.bytesPerSecond == 20)
        meter.note(1000, at: 15)
        #expect(meter.bytesPerSecond == 0)
    }

    @Test("rare samples still give a speed")
    func rare() {
        var meter = SpeedMeter()
        meter.note(0, at: 0)
        meter.note(10_000, at: 100)
        #expect(meter.bytesPerSecond == 100)
    }
}
