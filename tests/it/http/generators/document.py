"""The document is valid, and so is each example in it. Takes the path of the document."""

import json
import sys

from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

document = json.load(open(sys.argv[1]))
validate(document)


def absolute(schema):
    if isinstance(schema, dict):
        return {
            name: "urn:document" + value if name == "$ref" else absolute(value) for name, value in schema.items()
        }
    return [absolute(item) for item in schema] if isinstance(schema, list) else schema


registry = Registry().with_resource(
    "urn:document", Resource.from_contents(absolute(document), default_specification=DRAFT202012)
)
checked = 0
for path, item in document["paths"].items():
    for method, operation in item.items():
        if method == "parameters":
            continue
        contents = list(operation.get("requestBody", {}).get("content", {}).values())
        contents += [one for reply in operation["responses"].values() for one in reply.get("content", {}).values()]
        for content in contents:
            if "example" in content:
                OAS31Validator(absolute(content["schema"]), registry=registry).validate(content["example"])
                checked += 1
print(f"{checked} examples are valid")
assert checked > 30, "the document has lost its examples"
