#ifndef CSEGXML_SHIM_H
#define CSEGXML_SHIM_H

#include <libxml/xmlversion.h>
// Some systems' libxml2 includes the headers of the system's ICU, whose types differ from those of
// Foundation's own ICU. Without them a structure of libxml2 lacks some fields, which does no harm, because it
// is used only through pointers.
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// Before 2.11, libxml2's push parser of HTML remembers how far it has searched for the end of a tag, but not
// on which side of a quote that was. A tag that was cut within an attribute made it wait for the end of the
// document. Resetting the index makes it search again.
static inline void seg_look_again(xmlParserCtxtPtr context) {
#if LIBXML_VERSION < 21100
    context->checkIndex = 0;
#else
    (void)context;
#endif
}

#endif
