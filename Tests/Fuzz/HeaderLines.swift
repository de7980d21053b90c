/// Header lines as they come in, a field each; lines that are no field are left out.
func fields(_ lines: some Sequence<ArraySlice<UInt8>>) -> [HTTPHeader] {
    lines.compactMap { line in
        guard let field = HTTPHeader(parsing: String(decoding: line, as: UTF8.self)) else { return nil }
        promise(
            HTTPHeader(parsing: "\(field.name): \(field.value)") == field, "\(field) is read back differently"
        )
        return field
    }
}
