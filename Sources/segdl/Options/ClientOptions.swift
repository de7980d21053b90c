import ArgumentParser
import SegmentedDL
import SystemPackage

/// The client certificate, with curl's names for its parts.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The client certificate; a colon in the file name is written as \\:.",
            valueName: "file[:passphrase]"),
        completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("Its format: PEM, DER or P12 (default: PEM).", valueName: "format"))
    var certType: Format?

    @Option(
        help: ArgumentHelp("The client's private key (default: in --cert).", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(help: ArgumentHelp("Its format: PEM or DER (default: PEM).", valueName: "format"))
    var keyType: Format?

    @Option(
        help: ArgumentHelp(
            "The passphrase of the key. A missing one is prompted for on a terminal.", valueName: "passphrase"
        ))
    var pass: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase.", valueName: "file"),
        completion: .file())
    var passFile: String?

    struct Format: ExpressibleByArgument, Equatable {
        let format: Transport.CertificateFormat

        init?(argument: String) {
            guard let format = Transport.CertificateFormat(rawValue: argument.uppercased()) else {
                return nil
            }
            self.format = format
        }
    }

    /// The parts of the value of `--cert`: `\:` and `\\` are a colon and a backslash, and the passphrase
    /// follows the first other colon.
    static func parts(of text: String) -> (file: String, passphrase: String?) {
        var file = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case ":": return (String(file), rest.isEmpty ? nil : String(rest))
            case "\\" where rest.first == ":" || rest.first == "\\":
                if let next = rest.popFirst() { file.append(next) }
            default: file.append(scalar)
            }
        }
        return (String(file), nil)
    }

    /// Checks the files, and prompts for a missing passphrase.
    mutating func check() throws {
        if keyType?.format == .pkcs12 {
            throw ValidationError("--key-type must be PEM or DER; P12 is allowed only as --cert-type.")
        }
        if pass != nil, passFile != nil {
            throw ValidationError("--pass and --pass-file cannot be combined.")
        }
        guard cert != nil else {
            // libcurl would ignore it.
            if key != nil { throw ValidationError("--key requires --cert FILE.") }
            return
        }
        if let passFile {
            do {
                pass = String(try TextFile.read(passFile).prefix { !$0.isNewline })
            } catch {
                throw ValidationError("--pass-file: cannot read '\(passFile)': \(error).")
            }
        }
        var transport = Transport()
        apply(to: &transport)
        guard let fault = ClientCertificate(transport)?.fault() else { return }
        guard fault.remedy == .passphrase, transport.clientKeyPassphrase == nil,
            let file = transport.clientKey ?? transport.clientCertificate
        else { throw Self.refusal(fault) }
        // If standard input is redirected, no prompt is expected.
        guard isatty(STDIN_FILENO) == 1 else { throw Self.refusal(fault) }
        switch PasswordPrompt.askPassphrase(of: file.string) {
        case .password(let text): pass = text
        case .interrupted: throw ExitCode(128 + SIGINT)
        case .nothing, nil: throw Self.refusal(fault)
        }
        apply(to: &transport)
        if let fault = ClientCertificate(transport)?.fault() { throw Self.refusal(fault) }
    }

    private static func refusal(_ fault: ClientCertificate.Fault) -> ValidationError {
        let text = "\(fault.text); \(fault.advice)."
        return ValidationError(fault.remedy.sentence("--cert: \(text)", for: "URL"))
    }

    func apply(to transport: inout Transport) {
        guard let cert else { return }
        let parts = Self.parts(of: cert)
        transport.clientCertificate = FilePath(parts.file)
        transport.clientCertificateFormat = certType?.format ?? .pem
        transport.clientKey = key.map { FilePath($0) }
        transport.clientKeyFormat = keyType?.format ?? .pem
        transport.clientKeyPassphrase = (pass ?? parts.passphrase).map { Passphrase($0) }
    }
}
