/** The names of files in headers, sent and received: src/api/content-disposition. */
import { describe, expect, it } from "vitest";
import { contentDisposition, dispositionParameter, lastStep } from "../../../src/api/content-disposition.ts";

describe("a Content-Disposition that is sent", () => {
  it.each([
    ["a.txt", "a.txt", "a.txt"],
    [" a b.txt ", "a b.txt", "a%20b.txt"],
    ["it's (1) *.txt", "it's (1) *.txt", "it%27s%20%281%29%20%2A.txt"],
    ['50% "é"\\.txt', "50_ ____.txt", "50%25%20%22%C3%A9%22_.txt"],
    ["\ud800a", "_a", "%EF%BF%BDa"],
    ["../a", ".._a", ".._a"],
    ["..", "file", "file"],
    [".", "file", "file"],
    ["", "file", "file"],
    [" \u202e.. ", "file", "file"],
    ["\r\n", "file", "file"],
  ])("names %j so that no reader is misled", (name, ascii, encoded) => {
    const expected = `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
    expect(contentDisposition("attachment", name)).toBe(expected);
  });
});

describe("the file name that a client sent", () => {
  it.each([
    ["a", "a"],
    ["/x/a", "a"],
    ["C:\\x\\a", "a"],
    ["x/", undefined],
    ["x/.", undefined],
    ["x/..", undefined],
    ["", undefined],
  ])("is the last step of %j", (path, step) => {
    expect(lastStep(path)).toBe(step);
  });

  it.each([
    ['; filename="a b"', "a b"],
    ["; filename=a", "a"],
    ['; FileName="a"', "a"],
    ['; filename="a"; FILENAME="b"', "a"],
    ['; x="; filename=b"; filename="a"', "a"],
    ["; filename=\"a\"; filename*=utf-8'en'b%20c", "b c"],
    ["; filename*=UTF-8''b; filename=\"a\"", "b"],
    ["; filename=\"a\"; filename*=latin1''b", "a"],
    ["; filename=\"a\"; filename*=x-utf-8''b", "a"],
    ["; filename=\"a\"; filename*=UTF-8''%ff", "a"],
    ['; filename="a%0d%0A%22%20"', 'a\r\n"%20'],
    ["; name=a", undefined],
  ])("is told by %j", (header, name) => {
    expect(dispositionParameter(header, "filename")).toBe(name);
  });
});
