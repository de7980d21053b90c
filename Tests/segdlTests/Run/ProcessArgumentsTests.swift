import Testing

@testable import segdl

@Suite("The arguments, as the kernel has them")
struct ProcessArgumentsTests {
    @Test("follow the command's name, empty ones too")
    func parsed() {
        #expect(ProcessArguments.parsed("segdl\0fetch\0\0a b\0") == ["fetch", "", "a b"])
        #expect(ProcessArguments.parsed("segdl\0") == [])
        #expect(ProcessArguments.parsed("") == [])
    }
}
