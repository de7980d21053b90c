#ifndef CSEGXML_SHIM_H
#define CSEGXML_SHIM_H

#include <libxml/xmlversion.h>
// Some systems' libxml2 includes the headers of the system's ICU along, whose types are not those of
// Foundation's own ICU. The fields that are left out by this are of a structure that is only pointed at.
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// Before 2.11, the push parser of HTML remembers how far it has looked for the end of a tag, but not on which
// side of a quote that was: a tag cut within an attribute made it wait for the document's end. So it looks
// again.
static inline void seg_look_again(xmlParserCtxtPtr context) {
#if LIBXML_VERSION < 21100
    context->checkIndex = 0;
#else
    (void)context;
#endif
}

#endif
