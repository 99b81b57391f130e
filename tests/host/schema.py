#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: schema.py SCHEMA

Checks the schema, then lines of "NAME<tab>JSON" from standard input against the
definitions of those names. Prints a line for each that does not fit; fails when
there is one, or no line at all.
"""

import json
import sys

import jsonschema


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    wrong = lines = 0
    for line in sys.stdin:
        name, _, text = line.rstrip("\n").partition("\t")
        lines += 1
        try:
            if name not in schema["$defs"]:
                raise ValueError("the schema does not have it")
            validator = jsonschema.Draft202012Validator(
                {**schema, "$ref": f"#/$defs/{name}"})
            problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
                        for e in validator.iter_errors(json.loads(text))]
        except ValueError as error:
            problems = [str(error)]
        for problem in problems[:5]:
            print(f"{name}: {problem[:300]}")
        wrong += bool(problems)
    print(f"{lines} lines, {wrong} do not fit")
    return wrong or not lines


sys.exit(bool(main()))
