import Testing

@testable import segdl

@Suite struct MachineReportTests {
    @Test("facts are in a column, and advice below them")
    func text() {
        var report = MachineReport()
        report.add("a", "1")
        report.add("long", "2", advice: "Do that.")
        #expect(report.text == "a     1\nlong  2\n      ! Do that.\n")
        #expect(report.status == 0)
    }

    @Test("the status is that of the failing downloads")
    func status() {
        var report = MachineReport()
        report.add("directory", "none", advice: "Make it.", failing: 5)
        report.add("authorities", "none", advice: "Install them.", failing: 2)
        #expect(report.status == 5)
    }

    @Test("a distribution's name is read without its quotes")
    func distribution() {
        #expect(Examination.prettyName("ID=x\nPRETTY_NAME=\"Debian 12\"\n") == "Debian 12")
        #expect(Examination.prettyName("ID=x\n") == nil)
    }

    @Test("file systems have the names of linux/magic.h", arguments: [(0xef53, "ext4"), (0x6969, "nfs")])
    func fileSystems(magic: UInt32, name: String) {
        #expect(FileSystem.name(magic) == name)
    }

    @Test("an unknown file system is named by its number")
    func unknownFileSystem() {
        #expect(FileSystem.name(0x1234) == "type 0x1234")
    }
}
