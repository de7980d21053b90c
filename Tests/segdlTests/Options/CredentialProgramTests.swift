import Testing

@testable import segdl

@Suite("A program that prints a login")
struct CredentialProgramTests {
    @Test(
        "is named in messages without the other words of its command",
        arguments: [
            ("print-keys", "print-keys"), ("/opt/print-keys --token secret", "/opt/print-keys"),
            ("\tprint-keys\t-v", "print-keys"), ("TOKEN='my secret' print-keys", "sh"), ("", "sh"),
        ] as [(String, String)])
    func name(command: String, name: String) {
        #expect(CredentialProgram.name(in: command) == name)
    }
}
