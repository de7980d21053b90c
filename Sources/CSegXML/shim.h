#ifndef CSEGXML_SHIM_H
#define CSEGXML_SHIM_H

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#endif
