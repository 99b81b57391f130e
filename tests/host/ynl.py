#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
ynl.py TREE SPEC HEADER

Is the netlink specification valid by the schema of the kernel in TREE, does
the kernel's own ynl library take it, and does it say what the C header says:
the same commands, attributes and enumerators, with the same values?
"""

import re
import sys

tree, spec_path, header_path = sys.argv[1:]
sys.path.append(tree + '/tools/net/ynl')

import jsonschema  # noqa: E402
from lib import SpecFamily  # noqa: E402  (from the tree)


def c_name(*parts):
    return ''.join(parts).upper().replace('-', '_')


def header_enums(path):
    """{enum name: {enumerator: value}}, without what ends or counts an enum"""
    with open(path, encoding='utf-8') as f:
        text = re.sub(r'/\*.*?\*/', '', f.read(), flags=re.S)
    enums = {}
    for name, body in re.findall(r'\benum\s+(\w+)\s*\{(.*?)\}', text, re.S):
        value, found = -1, {}
        for item in filter(None, (i.strip() for i in body.split(','))):
            m = re.fullmatch(r'(\w+)(?:\s*=\s*(.*))?', item, re.S)
            if m[1].endswith('_MAX') or m[1].startswith('__'):
                break
            value = int(m[2], 0) if m[2] else value + 1
            found[m[1]] = value
        enums[name] = found
    return enums


def header_strings(path):
    with open(path, encoding='utf-8') as f:
        return dict(re.findall(r'^#define\s+(\w+)\s+"([^"]*)"', f.read(), re.M))


def spec_enums(family):
    """The same from the specification"""
    ident = family.ident_name if hasattr(family, 'ident_name') else family.name
    enums = {}
    ops = family.yaml['operations']
    prefix = ops.get('name-prefix', f'{ident}-cmd-')
    enums[ops.get('enum-name') or f'{ident}-cmd'] = {
        c_name(prefix, op.name): op.req_value if op.req_value is not None else op.rsp_value
        for op in family.msgs.values()}
    for attrs in family.attr_sets.values():
        if attrs.subset_of:
            continue
        prefix = attrs.yaml.get('name-prefix', f'{ident}-a-{attrs.name}-')
        enums[attrs.yaml.get('enum-name') or f'{ident}-a-{attrs.name}'] = {
            c_name(prefix, a.name): a.value for a in attrs.attrs.values()}
    for const in family.consts.values():
        if const.type not in ('enum', 'flags'):
            continue
        prefix = const.yaml.get('name-prefix', f'{ident}-{const.name}-')
        enums[const.yaml.get('enum-name') or f'{ident}-{const.name}'] = {
            c_name(prefix, e.name): e.user_value(as_flags=False)
            for e in const.entries.values()}
    return {name.replace('-', '_'): values for name, values in enums.items()}


def main():
    try:
        family = SpecFamily(spec_path, f'{tree}/Documentation/netlink/genetlink.yaml')
    except jsonschema.ValidationError as e:
        print(f'{spec_path}: {e.json_path}: {e.message}')
        return 1
    bad = []

    strings = header_strings(header_path)
    want = strings.get(c_name(family.name, '-FAMILY-NAME'))
    if want != family.name:
        bad.append(f'family is {family.name!r} here and {want!r} there')
    for group in family.mcast_groups.values():
        if group.name not in strings.values():
            bad.append(f'multicast group {group.name!r} is not in the header')

    header, spec = header_enums(header_path), spec_enums(family)
    for name in sorted(set(header) | set(spec)):
        if name not in spec:
            bad.append(f'enum {name}: not in the specification')
        elif name not in header:
            bad.append(f'enum {name}: not in the header')
        elif header[name] != spec[name]:
            for item in sorted(set(header[name]) | set(spec[name])):
                ours, theirs = header[name].get(item), spec[name].get(item)
                if ours != theirs:
                    bad.append(f'{item}: {ours} in the header, {theirs} in the specification')

    for line in bad:
        print(line)
    return 1 if bad else 0


sys.exit(main())
