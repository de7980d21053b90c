import ArgumentParser

struct Queue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Keep downloads in a persistent queue.",
        discussion: """
            The queue is a database; `segdl queue start` downloads everything in it; the other commands change it, \
            even from another terminal while it is running. After a kill or a reboot, start resumes.

            SELECT is a number from the list, a URL, key:NAME, state:STATE (as in state:failed), position:N \
            (from 0), or all.

            Examples:
              segdl queue add -d isos https://host/a.iso https://host/b.iso
              segdl queue start -j 8
              segdl queue pause all
              segdl queue resume 2
              segdl queue list --json
            """,
        subcommands: [
            QueueAdd.self, QueueList.self, QueueStart.self, QueuePause.self, QueueResume.self,
            QueueCancel.self, QueueRemove.self, QueueRestart.self, QueueMove.self, QueueClear.self,
            QueueSet.self, QueueLimit.self,
        ])
}
