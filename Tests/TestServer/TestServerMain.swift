#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@main
struct TestServerMain {
    static func main() {
        guard let options = Options(arguments: Array(CommandLine.arguments.dropFirst())) else {
            report("usage: TestServer [--address IPv4] [--port N] [--log FILE]\n")
            exit(2)
        }
        signal(SIGPIPE, SIG_IGN)
        signal(SIGTERM) { _ in _exit(0) }

        let logFile: LogFile?
        if let path = options.logPath {
            guard let opened = LogFile(path: path) else { fail("cannot open \(path)") }
            logFile = opened
        } else {
            logFile = nil
        }
        guard let listener = Listener(address: options.address, port: options.port) else {
            fail("cannot listen on \(options.address):\(options.port)")
        }
        // A crashed test cannot stop its server, but the kernel closes its end of the pipe.
        guard
            startThread({
                waitForEndOfInput(); exit(0)
            })
        else { fail("cannot start a thread") }

        print("listening \(listener.port)")
        fflush(nil)
        Server(registry: Registry(logFile: logFile, listener: listener)).run(listener)
    }

    private static func waitForEndOfInput() {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 0 || (count < 0 && errno != EINTR) { return }
        }
    }

    private static func fail(_ message: String) -> Never {
        report("TestServer: \(message): \(String(cString: strerror(errno)))\n")
        exit(1)
    }

    private static func report(_ message: String) {
        let bytes = Array(message.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

private struct Options {
    var address = "127.0.0.1"
    var port: UInt16 = 0
    var logPath: String?

    init?(arguments: [String]) {
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch flag {
            case "--address": address = value
            case "--port":
                guard let number = UInt16(value) else { return nil }
                port = number
            case "--log": logPath = value
            default: return nil
            }
        }
    }
}
