import Foundation

/// A pseudo-terminal: a test reads its output, and types.
public final class PseudoTerminal: Sendable {
    public struct Unavailable: Error {}

    /// The test's side, which reads and types.
    public let outside: Int32
    /// The program's side.
    public let inside: Int32

    public init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
        let outside = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard outside >= 0, let name = Self.unlock(outside) else { throw Unavailable() }
        let inside = open(name, O_RDWR | O_NOCTTY)
        guard inside >= 0 else { throw Unavailable() }
        (self.outside, self.inside) = (outside, inside)
        resize(columns: columns, rows: rows)
    }

    /// - Returns: The path of the other side.
    private static func unlock(_ descriptor: Int32) -> String? {
        #if os(Linux)
            // TIOCSPTLCK and TIOCGPTN: Glibc's module has neither these nor the functions based on them.
            var lock: Int32 = 0
            var number: UInt32 = 0
            guard ioctl(descriptor, 0x4004_5431, &lock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0
            else { return nil }
            return "/dev/pts/\(number)"
        #else
            guard grantpt(descriptor) == 0, unlockpt(descriptor) == 0 else { return nil }
            return ptsname(descriptor).map { String(cString: $0) }
        #endif
    }

    deinit {
        close(inside)
        close(outside)
    }

    public func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(outside, numericCast(TIOCSWINSZ), &size)
    }

    /// Returns the text written since the last call.
    public func written() -> String {
        var text: [UInt8] = []
        var ready = pollfd(fd: outside, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 20) > 0, ready.revents & Int16(POLLIN) != 0 {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(outside, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    public func type(_ text: String) {
        _ = write(outside, text, text.utf8.count)
    }

    /// True if it echoes typed text, and passes it to the program line by line.
    public var isCooked: Bool {
        var modes = termios()
        tcgetattr(inside, &modes)
        return modes.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    public var hasSignals: Bool {
        var modes = termios()
        tcgetattr(inside, &modes)
        return modes.c_lflag & tcflag_t(ISIG) != 0
    }
}
