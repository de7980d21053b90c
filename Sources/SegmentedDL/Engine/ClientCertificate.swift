internal import CSegCrypto
internal import SystemPackage

/// The client's certificate and its key, as named by the settings.
///
/// libcurl reports a missing key, an encrypted key, a key of another certificate, and a file that is not a
/// key with the same message. The files are therefore read again here.
package struct ClientCertificate: Sendable {
    /// The reason why the certificate or the key is unusable.
    package struct Fault: Equatable, Sendable {
        /// A clause without a full stop.
        package var text: String
        package var advice: String
        package var remedy: DownloadError.Remedy
    }

    /// The maximum size of a certificate or key, in bytes.
    private static let longest = 1 << 20

    private let file: FilePath
    private let format: Transport.CertificateFormat
    private let keyFile: FilePath
    private let keyFormat: Transport.CertificateFormat
    private let passphrase: Passphrase?

    /// - Returns: `nil` if the settings name no certificate.
    package init?(_ transport: Transport) {
        guard let file = transport.clientCertificate else { return nil }
        self.file = file
        format = transport.clientCertificateFormat
        keyFile = transport.clientKey ?? file
        keyFormat = transport.clientKey == nil ? format : transport.clientKeyFormat
        passphrase = transport.clientKeyPassphrase
    }

    /// Checks the files. Blocks.
    ///
    /// - Returns: The reason why they are unusable; `nil` if they are usable.
    package func fault() -> Fault? {
        let bytes: [UInt8]
        do {
            bytes = try Self.read(file)
        } catch {
            return unreadable(file, error, .clientCertificate)
        }
        if format == .pkcs12 { return faultOfStore(bytes) }
        guard let certificate = Self.certificate(bytes, format) else {
            return Fault(
                text: "'\(file)' contains no certificate in \(format.rawValue) format",
                advice: "check the file, or specify its format", remedy: .certificateFormat)
        }
        defer { X509_free(certificate) }
        return faultOfKey(for: certificate)
    }

    private func faultOfKey(for certificate: OpaquePointer) -> Fault? {
        let bytes: [UInt8]
        do {
            bytes = try Self.read(keyFile)
        } catch {
            return unreadable(keyFile, error, .clientKey)
        }
        let isPEM = keyFormat == .pem
        guard !isPEM || Self.holds("PRIVATE KEY-----", bytes) else {
            return Fault(
                text: "'\(keyFile)' contains no private key in PEM format",
                advice: "specify the key file", remedy: .clientKey)
        }
        guard let key = key(bytes) else {
            if isPEM, Self.holds("ENCRYPTED", bytes) { return wrongPassphrase("the key in '\(keyFile)'") }
            return Fault(
                text: "'\(keyFile)' contains no private key in \(keyFormat.rawValue) format",
                advice: "check the key file, or specify its format", remedy: .keyFormat)
        }
        defer { EVP_PKEY_free(key) }
        guard X509_check_private_key(certificate, key) != 1 else { return nil }
        return Fault(
            text: "the key in '\(keyFile)' does not belong to the certificate in '\(file)'",
            advice: "specify the file of its key", remedy: .clientKey)
    }

    private func faultOfStore(_ bytes: [UInt8]) -> Fault? {
        guard let store = Self.reading(bytes, { d2i_PKCS12_bio($0, nil) }) else {
            return Fault(
                text: "'\(file)' contains no certificate in P12 format",
                advice: "check the file, or specify its format", remedy: .certificateFormat)
        }
        defer { PKCS12_free(store) }
        let text = passphrase?.text ?? ""
        let isRight =
            PKCS12_verify_mac(store, text, CInt(text.utf8.count)) == 1
            || text.isEmpty && PKCS12_verify_mac(store, nil, 0) == 1
        if !isRight { return wrongPassphrase("'\(file)'") }
        var (key, certificate): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
        }
        if PKCS12_parse(store, text, &key, &certificate, nil) == 1 { return nil }
        return Fault(
            text: "'\(file)' is encrypted with an outdated algorithm that this OpenSSL does not support",
            advice: "convert it with openssl pkcs12 -legacy, or use PEM", remedy: .certificateFormat)
    }

    private func wrongPassphrase(_ what: String) -> Fault {
        passphrase == nil
            ? Fault(
                text: "\(what) is encrypted, but no passphrase is given", advice: "give it",
                remedy: .passphrase)
            : Fault(
                text: "the passphrase of \(what) is wrong", advice: "check it", remedy: .passphrase)
    }

    private func unreadable(
        _ file: FilePath, _ error: any Error, _ remedy: DownloadError.Remedy
    ) -> Fault {
        let what = remedy == .clientKey ? "the client's key" : "the client's certificate"
        return Fault(
            text: "cannot read \(what), '\(file)': \(error)", advice: "specify another file", remedy: remedy)
    }
}

extension ClientCertificate {
    private static func read(_ file: FilePath) throws -> [UInt8] {
        let descriptor = try FileDescriptor.open(file, .readOnly, options: .closeOnExec)
        return try descriptor.closeAfter {
            var bytes = [UInt8](repeating: 0, count: longest)
            var count = 0
            while count < longest {
                let read = try bytes.withUnsafeMutableBytes {
                    try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
                }
                if read == 0 { break }
                count += read
            }
            return Array(bytes.prefix(count))
        }
    }

    private static func holds(_ text: String, _ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array(text.utf8)) != nil
    }

    private static func certificate(
        _ bytes: [UInt8], _ format: Transport.CertificateFormat
    ) -> OpaquePointer? {
        reading(bytes) {
            format == .der ? d2i_X509_bio($0, nil) : PEM_read_bio_X509($0, nil, nil, nil)
        }
    }

    /// OpenSSL would prompt for a missing passphrase on the terminal, so it is given an empty one.
    private func key(_ bytes: [UInt8]) -> OpaquePointer? {
        Self.reading(bytes) { source in
            guard keyFormat == .pem else { return d2i_PrivateKey_bio(source, nil) }
            var text = Array((passphrase?.text ?? "").utf8CString)
            return text.withUnsafeMutableBytes { PEM_read_bio_PrivateKey(source, nil, nil, $0.baseAddress) }
        }
    }

    private static func reading(
        _ bytes: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?
    ) -> OpaquePointer? {
        bytes.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return nil }
            defer { BIO_free(source) }
            return body(source)
        }
    }
}
