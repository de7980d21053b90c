import Foundation
import Testing

@testable import SegmentedDL

@Suite("Polling of sockets")
struct SocketPollTests {
    /// A pipe that contains a byte.
    private static func fullPipe() -> Pipe {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data([1]))
        return pipe
    }

    private static func ready(_ sockets: SocketPoll) -> [Int32] {
        (sockets.wait(atMost: 0) ?? []).map(\.socket)
    }

    @Test("an unwatched socket is not reported until it is watched again")
    func rest() throws {
        let sockets = try #require(SocketPoll())
        let pipe = Self.fullPipe()
        let socket = pipe.fileHandleForReading.fileDescriptor
        sockets.watch(socket, for: .reading)
        #expect(Self.ready(sockets) == [socket])
        for _ in 0..<2 {
            sockets.watch(socket, for: [])
            // The second time, the socket is no longer registered with the system.
            for _ in 0..<2 { #expect(Self.ready(sockets) == []) }
            sockets.watch(socket, for: .reading)
            #expect(Self.ready(sockets) == [socket])
        }
    }

    @Test("a closed one makes room for another with its number", arguments: [true, false])
    func closed(isWatched: Bool) throws {
        let sockets = try #require(SocketPoll())
        let (old, new) = (Pipe(), Self.fullPipe())
        let socket = old.fileHandleForReading.fileDescriptor
        sockets.watch(socket, for: .reading)
        if !isWatched { sockets.watch(socket, for: []) }
        // Closes the old one atomically: no other thread can get the number.
        #expect(dup2(new.fileHandleForReading.fileDescriptor, socket) == socket)
        sockets.watch(socket, for: .reading)
        #expect(Self.ready(sockets) == [socket])
    }

    @Test("a wake-up ends the wait, and is not a socket")
    func woken() throws {
        let sockets = try #require(SocketPoll())
        sockets.wake()
        #expect(sockets.wait(atMost: nil)?.isEmpty == true)
    }
}
