import Foundation
import Testing

@testable import SegmentedDL

@Suite("Which sockets have something to do")
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

    @Test("one that is not watched any more is not told of, until it is watched again")
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

    @Test("one that was closed makes room for another of its number", arguments: [true, false])
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

    @Test("a call from elsewhere ends the wait, and is no socket")
    func woken() throws {
        let sockets = try #require(SocketPoll())
        sockets.wake()
        #expect(sockets.wait(atMost: nil)?.isEmpty == true)
    }
}
