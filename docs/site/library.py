"""Pages of the library, from the JSON of its DocC archives: a page for each guide and each type."""

import json
import pathlib
import re
import textwrap

WIDTH = 80
TYPES = {"class", "struct", "enum", "protocol", "typealias", "module"}
# Of the standard library; every compiler lists others of them.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
MARKS = re.compile(r"([\\`*_\[\]<>|#])")


class Library:
    """The documents of some modules by DocC's identifiers, and the pages that they become."""

    def __init__(self, archives, modules):
        self.modules = modules
        self.documents = {}
        for module in modules:
            for path in sorted((archives / module / "data").rglob("*.json")):
                document = json.loads(path.read_text(encoding="utf-8"))
                # Groups that DocC makes of what a type inherits.
                if document["metadata"].get("role") != "collectionGroup":
                    self.documents[document["identifier"]["url"]] = document
        self.addresses = {}
        for identifier in self.documents:
            self.address(identifier)

    def kind(self, identifier):
        return self.documents[identifier]["metadata"].get("symbolKind", "article")

    def path(self, identifier):
        """The path of a document below the modules: [SegmentedDL, Downloader, start(_:)]."""
        return identifier.split("/documentation/")[1].split("/")

    def address(self, identifier):
        """The page of a document, and its anchor there; None if it is of another library."""
        if identifier in self.addresses or identifier not in self.documents:
            return self.addresses.get(identifier)
        names = self.path(identifier)
        if len(names) == 1:
            self.addresses[identifier] = (f"{names[0]}/index.md", "")
        elif self.kind(identifier) in TYPES | {"article"}:
            self.addresses[identifier] = (f"{names[0]}/{'.'.join(plain(name) for name in names[1:])}.md", "")
        else:
            page, _ = self.address(identifier.rpartition("/")[0])
            self.addresses[identifier] = (page, re.sub(r"[^a-z0-9]+", "-", names[-1].lower()).strip("-"))
        return self.addresses[identifier]

    def link(self, identifier, page, references, is_code=True):
        """A link from a page to a document; a name where there is no document."""
        known = self.address(identifier)
        if known is None:
            reference = references.get(identifier, {})
            if reference.get("type") == "link":
                return f"[{escaped(reference['title'])}]({reference['url']})"
            return f"`{reference.get('title', identifier.rpartition('/')[2])}`"
        names, (target, anchor) = self.path(identifier), known
        title = self.documents[identifier]["metadata"]["title"]
        if len(names) > 2 and is_code:
            outer = ".".join(plain(name) for name in names[1:-1])
            title = f"{outer}.{title.removeprefix(outer + '.')}"
        shown = f"`{title}`" if self.kind(identifier) != "article" else escaped(title)
        return f"[{shown}]({relative(target, page)}{'#' + anchor if anchor else ''})"

    def pages(self):
        """Yields (path below the modules, text) of each page."""
        for identifier, document in self.documents.items():
            page, anchor = self.address(identifier)
            if not anchor:
                yield page, "\n".join(Page(self, page).lines(identifier, document))

    def navigation(self, module, folder):
        """The guides of a module, and its types by their names; `folder` holds the modules."""
        documents = [name for name in self.documents if self.path(name)[0] == module]

        def listed(kinds, title):
            names = [name for name in documents if self.kind(name) in kinds]
            return [{title(name): folder + self.address(name)[0]} for name in sorted(names, key=self.path)]

        guides = listed({"article"}, lambda name: self.documents[name]["metadata"]["title"])
        types = listed(TYPES - {"module"}, lambda name: ".".join(map(plain, self.path(name)[1:])))
        return [f"{folder}{module}/index.md", *guides, {"Types": types}]


class Page:
    """The Markdown of one page."""

    def __init__(self, library, page):
        self.library, self.page = library, page

    def lines(self, identifier, document):
        metadata = document["metadata"]
        heading = metadata["title"] if metadata.get("symbolKind") != "module" else f"The module {metadata['title']}"
        yield f"# {escaped(heading)}\n"
        yield from self.body(document, 2)
        for section in document.get("topicSections", []):
            yield f"\n## {section['title']}\n"
            yield from self.topics(section["identifiers"], document["references"])
        for section in document.get("relationshipsSections", []):
            links = [self.library.link(one, self.page, document["references"]) for one in section["identifiers"]]
            links = [link for link in links if link.strip("`").split(".")[-1] not in IMPLIED]
            if links:
                yield f"\n## {section['title']}\n\n{', '.join(links)}"

    def topics(self, identifiers, references):
        """Links to pages, and the members that stand on this one."""
        links = []
        for one in identifiers:
            known = self.library.address(one)
            if known and known[0] == self.page and known[1]:
                member = self.library.documents[one]
                yield f"\n### `{member['metadata']['title']}` {{ #{known[1]} }}\n"
                yield from self.body(member, 4)
            elif known:
                abstract = self.inline(self.library.documents[one].get("abstract", []), references)
                links.append(f"- {self.library.link(one, self.page, references)}{': ' if abstract else ''}{abstract}")
        yield ""
        yield from links

    def body(self, document, level):
        """The declaration, the abstract, and what is said about it."""
        references, sections = document["references"], document.get("primaryContentSections", [])
        # An article's and a module's text goes without a heading "Overview".
        for section in sections:
            if section["kind"] == "declarations":
                for declaration in section["declarations"]:
                    yield f"```swift\n{wrapped(''.join(token['text'] for token in declaration['tokens']))}\n```\n"
        if document.get("abstract"):
            yield self.inline(document["abstract"], references) + "\n"
        for section in sections:
            if section["kind"] == "parameters":
                for parameter in section["parameters"]:
                    text = " ".join(self.blocks(parameter["content"], references, level)).strip()
                    yield f"- `{parameter['name']}`: {text}"
                yield ""
            elif section["kind"] == "content":
                plain = [one for one in section["content"] if one.get("text") not in ("Overview", "Discussion")]
                yield from self.blocks(plain, references, level)

    def blocks(self, nodes, references, level):
        for node in nodes:
            kind = node["type"]
            if kind == "paragraph":
                yield self.inline(node["inlineContent"], references) + "\n"
            elif kind == "heading":
                yield f"{'#' * max(level, node['level'])} {escaped(node['text'])}\n"
            elif kind == "codeListing":
                code = "\n".join(node["code"])
                yield f"```{node.get('syntax') or 'swift'}\n{code}\n```\n"
            elif kind == "aside":
                text = "\n".join(self.blocks(node["content"], references, level)).strip()
                yield f"**{node['name']}:** {text}\n"
            elif kind in ("unorderedList", "orderedList"):
                for number, item in enumerate(node["items"], 1):
                    text = "\n".join(self.blocks(item["content"], references, level)).strip()
                    mark = "-   " if kind == "unorderedList" else f"{number}.  "
                    yield mark + textwrap.indent(text, "    ").strip()
                yield ""
            elif kind == "table":
                for number, row in enumerate(node["rows"]):
                    cells = [" ".join(self.blocks(cell, references, level)).strip() for cell in row]
                    yield f"| {' | '.join(cells)} |"
                    if number == 0:
                        yield "|---" * len(cells) + "|"
                yield ""
            else:
                raise ValueError(f"{self.page}: a block of the kind {kind} is not known")

    def inline(self, nodes, references):
        result = ""
        for node in nodes:
            kind = node["type"]
            if kind == "text":
                result += escaped(node["text"])
            elif kind == "codeVoice":
                result += f"`{node['code']}`"
            elif kind in ("strong", "emphasis"):
                mark = "**" if kind == "strong" else "*"
                result += mark + self.inline(node["inlineContent"], references) + mark
            elif kind == "reference":
                result += self.library.link(node["identifier"], self.page, references)
            else:
                raise ValueError(f"{self.page}: text of the kind {kind} is not known")
        return " ".join(result.split("\n"))


def plain(name):
    """A name without the ending that tells it from another one: Outcome-swift.enum."""
    return re.sub(r"-swift\.\w+$", "", name)


def escaped(text):
    return MARKS.sub(r"\\\1", text)


def relative(target, page):
    """The path of a page as another one names it; both are below one directory of modules."""
    folder = pathlib.PurePosixPath(page).parent
    return target.removeprefix(f"{folder}/") if target.startswith(f"{folder}/") else f"../{target}"


def wrapped(declaration):
    """A declaration with a line for each parameter, if it is long."""
    begin = declaration.find("(")
    if len(declaration) <= WIDTH or begin < 0 or "\n" in declaration:
        return declaration
    depth, parts, end = 0, [""], len(declaration)
    for index in range(begin, len(declaration)):
        character = declaration[index]
        depth += (character in "([<{") - (character in ")]}" or character == ">" and declaration[index - 1] != "-")
        if depth == 0:
            end = index
            break
        if character == "," and depth == 1:
            parts.append("")
        elif index > begin:
            parts[-1] += character
    return f"{declaration[:begin]}(\n    " + ",\n    ".join(part.strip() for part in parts) + "\n" + declaration[end:]
