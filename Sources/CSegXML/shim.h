#ifndef CSEGXML_SHIM_H
#define CSEGXML_SHIM_H

#include <dlfcn.h>
#include <stdbool.h>

#include <libxml/xmlversion.h>
// On some systems libxml2's headers include those of the system's ICU, whose types differ from Foundation's
// own ICU. Without them a structure of libxml2 lacks some fields, which is harmless, because it is used only
// through pointers.
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// The library that these headers belong to. Its structures differ between major versions.
#if defined(__APPLE__)
#define SEG_XML_FILE "libxml2.2.dylib"
#elif LIBXML_VERSION >= 21400
#define SEG_XML_FILE "libxml2.so.16"
#else
#define SEG_XML_FILE "libxml2.so.2"
#endif

// The functions of libxml2 that are used.
#define SEG_XML_FUNCTIONS(USE) \
    USE(xmlInitParser)         \
    USE(xmlCreatePushParserCtxt) \
    USE(xmlCtxtUseOptions)     \
    USE(xmlParseChunk)         \
    USE(xmlStopParser)         \
    USE(xmlCtxtGetLastError)   \
    USE(xmlFreeDoc)            \
    USE(xmlFreeParserCtxt)     \
    USE(htmlCreatePushParserCtxt) \
    USE(htmlCtxtUseOptions)    \
    USE(htmlParseChunk)        \
    USE(htmlFreeParserCtxt)

typedef struct {
#define SEG_XML_FIELD(name) __typeof__(name) *_Nonnull name;
    SEG_XML_FUNCTIONS(SEG_XML_FIELD)
#undef SEG_XML_FIELD
} SegXML;

// Loads libxml2. Returns false if the system lacks it, with the reason in dlerror().
static inline bool seg_xml_load(SegXML *_Nonnull xml) {
    void *library = dlopen(SEG_XML_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define SEG_XML_LOAD(name) \
    if (!(xml->name = (__typeof__(name) *)dlsym(library, #name))) return false;
    SEG_XML_FUNCTIONS(SEG_XML_LOAD)
#undef SEG_XML_LOAD
    return true;
}

// Before 2.11, libxml2's HTML push parser remembers how far it has searched for the end of a tag, but not
// whether that position was within quotes, so if input is split within an attribute, it waits for the end of
// the document. Resetting the index makes it search again.
static inline void seg_look_again(xmlParserCtxtPtr _Nonnull context) {
#if LIBXML_VERSION < 21100
    context->checkIndex = 0;
#else
    (void)context;
#endif
}

#endif
