# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a file and their lengths: C++ by its braces, Python by its own parser.

The C++ part is no parser. It knows what clang-format leaves behind, and counts a lambda as part of its function.
"""

import ast
import re

_TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
    re.DOTALL)
_NO_FUNCTION = re.compile(r"(namespace|class|struct|union|enum|extern)\b")
_CONTROL = re.compile(r"(if|else|for|while|switch|do|try|catch|return|co_return|case|default)\b")
_MEMBER = re.compile(r"\)\s*(noexcept\s*)?:[^:].*[\w>]\s*$", re.DOTALL)


def only_code(text):
    """The text with comments and the insides of literals blanked; lines and columns stay. Includes stay as they are."""

    def blank(found):
        start = text.rfind("\n", 0, found.start()) + 1
        if re.match(r"\s*#\s*include", text[start : found.start()] + "x") and found[0].startswith('"'):
            return found[0]
        if re.fullmatch(r".*[0-9a-fA-F]", text[max(0, found.start() - 1) : found.start()]) and found[0][0] == "'":
            return found[0]  # a digit separator
        return re.sub(r"[^\n]", " ", found[0])

    return _TOKENS.sub(blank, text)


def cpp_functions(text):
    """(name, first line, number of lines) of each function definition outside of other functions."""
    code = re.sub(r"(?m)^\s*#.*$", lambda line: " " * len(line[0]), only_code(text))
    stack, found, begin = [], [], 0  # the stack holds (kind, name, first line)
    for i, character in enumerate(code):
        if character == "{":
            head = code[begin:i]
            inside = any(kind == "function" for kind, _, _ in stack)
            kind = "other" if inside else _kind(head)
            if kind == "function" and _MEMBER.search(head):
                stack.append(("member", "", 0))  # A(int x) : x_{x} {…}: the function's own brace is still to come
                continue
            first = code.count("\n", 0, begin + len(head) - len(head.lstrip())) + 1
            stack.append((kind, _name(head), first))
            begin = i + 1
        elif character == "}":
            if stack:
                kind, name, first = stack.pop()
                if kind == "member":
                    continue
                if kind == "function":
                    found.append((name, first, code.count("\n", 0, i) + 2 - first))
            begin = i + 1
        elif character == ";":
            begin = i + 1
    return found


def _kind(head):
    plain = _without_template(re.sub(r"^\s*(public|private|protected)\s*:", "", head)).strip()
    plain = re.sub(r"\[\[[^\]]*\]\]\s*", "", plain)
    if _NO_FUNCTION.match(plain) and ")" not in re.sub(r"\balignas\([^)]*\)", "", plain):
        return "scope"
    if "(" not in plain or _CONTROL.match(plain) or re.search(r"=\s*$", plain):
        return "other"
    return "function"


def _without_template(head):
    head = head.strip()
    while head.startswith("template"):
        depth, i = 0, head.find("<")
        while i < len(head):
            depth += {"<": 1, ">": -1}.get(head[i], 0)
            i += 1
            if depth == 0:
                break
        head = head[i:].strip()
    return head


def _name(head):
    found = re.search(r"([\w:~]+|operator\S+)\s*\(", _without_template(head))
    return found[1] if found else "a function"


def python_functions(text):
    try:
        tree = ast.parse(text)
    except SyntaxError as problem:
        return [(f"a file that Python cannot read: {problem.msg}", problem.lineno or 1, 10**6)]
    return [(node.name, node.lineno, node.end_lineno - node.lineno + 1)
            for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
