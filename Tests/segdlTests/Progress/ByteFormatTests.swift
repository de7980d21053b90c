import Testing

@testable import segdl

@Suite struct ByteFormatTests {
    @Test(arguments: [
        (-5, "0 B"), (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (1536, "1.50 KiB"),
        (10_235, "10.0 KiB"), (12_600, "12.3 KiB"), (102_348, "99.9 KiB"), (102_400, "100 KiB"),
        (1_047_552, "1023 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1.00 MiB"), (1 << 30, "1.00 GiB"),
        (Int64.max, "8.00 EiB"),
    ])
    func sizes(bytes: Int64, text: String) {
        #expect(ByteFormat.size(bytes) == text)
    }

    @Test func sizesNeverTakeMoreThanTheirColumn() {
        var bytes: Int64 = 1
        while bytes < Int64.max / 3 {
            for near in [bytes - 1, bytes, bytes + 1, bytes + bytes / 2] {
                let text = ByteFormat.size(near)
                #expect(text.count <= ByteFormat.sizeWidth, "\(near)")
                #expect((text.split(separator: " ").first?.count ?? 9) <= 4, "\(near)")
                #expect(ByteFormat.speed(Double(near)).count <= ByteFormat.speedWidth, "\(near)")
            }
            bytes += bytes / 2 + 1
        }
    }

    @Test(arguments: [
        (12.9 * 1_048_576, "12.9 MiB/s"), (0.4, "0 B/s"), (.nan, "0 B/s"), (.infinity, "0 B/s"),
        (-1, "0 B/s"),
    ])
    func speeds(speed: Double, text: String) {
        #expect(ByteFormat.speed(speed) == text)
    }

    @Test(arguments: [
        (0.0, "0:00"), (0.1, "0:01"), (62, "1:02"), (59.2, "1:00"), (3599.5, "1:00:00"), (3723, "1:02:03"),
        (86_399, "23:59:59"), (86_400, "1d 00h"), (183_600, "2d 03h"), (1e9, ">999d"), (1e300, ">999d"),
        (-1, "--:--"), (.nan, "--:--"), (.infinity, "--:--"),
    ])
    func durations(seconds: Double, text: String) {
        #expect(ByteFormat.duration(seconds) == text)
        #expect(text.count <= ByteFormat.durationWidth)
    }

    @Test func unknownDuration() {
        #expect(ByteFormat.duration(nil) == "--:--")
    }

    @Test(arguments: [
        (Duration.milliseconds(420), "0.4 s"), (.milliseconds(12_340), "12.3 s"),
        (.milliseconds(59_960), "1:00"),
        (.seconds(62), "1:02"), (.seconds(-1), "0.0 s"),
    ])
    func elapsed(duration: Duration, text: String) {
        #expect(ByteFormat.elapsed(duration) == text)
    }

    @Test(arguments: [
        (0.0, "0%"), (0.459, "45%"), (0.9999, "99%"), (1, "100%"), (1.5, "100%"), (-1, "0%"), (.nan, "0%"),
    ])
    func percents(fraction: Double, text: String) {
        #expect(ByteFormat.percent(fraction) == text)
    }
}
