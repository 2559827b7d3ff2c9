/** What is read of mail, calendars, address books, feeds, tables and subtitles. */
import { describe, expect, it } from "vitest";
import { readText } from "../../../src/search/texts/read-text.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const lines = (...all: string[]) => utf8(all.join("\r\n"));

describe("of mail", () => {
  it("subject, people and what was written are read, without where it went along", async () => {
    const bytes = lines(
      "Received: from mx.example by mail.example;",
      " Tue, 1 Oct 2024 10:00:00 +0200",
      "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= =?utf-8?B?IGF1cyBX?=",
      " =?iso-8859-1?q?=FCrzburg?=",
      "From: Ada <ada@example.org>",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Bis sp=E4ter, wir sehen uns am Bahn=",
      "hof.",
    );
    expect(await readText("a.eml", bytes)).toBe(
      "Grüße aus Würzburg Ada <ada@example.org> Bis später, wir sehen uns am Bahnhof.",
    );
  });

  it("of several forms the plain one is read, of what is attached the name, of what was forwarded all", async () => {
    const bytes = lines(
      "Subject: Bread",
      'Content-Type: multipart/mixed; boundary="out"',
      "",
      "For programs that know no MIME",
      "--out",
      "Content-Type: multipart/alternative; boundary=in",
      "",
      "--in",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      btoa(String.fromCharCode(...utf8("Käse und Brot"))),
      "--in",
      "Content-Type: text/html",
      "",
      "<p>Cheese</p>",
      "--in--",
      "--out",
      "Content-Type: application/pdf",
      "Content-Disposition: attachment; filename*=UTF-8''Men%C3%BC.pdf",
      "Content-Transfer-Encoding: base64",
      "",
      "JVBERi0=",
      "--out",
      "Content-Type: message/rfc822",
      "",
      "Subject: Earlier",
      "",
      "As I said",
      "--out--",
    );
    expect(await readText("a.eml", bytes)).toBe("Bread Käse und Brot Menü.pdf Earlier As I said");
  });

  it("a part that says nothing of itself is read as plain text", async () => {
    const bytes = lines(
      'Content-Type: multipart/mixed; boundary="simple boundary"',
      "",
      "For programs that know no MIME",
      "--simple boundary",
      "",
      "Nothing is told of this",
      "--simple boundary",
      "Content-Type: text/plain",
      "",
      "and all of that",
      "--simple boundary--",
    );
    expect(await readText("a.eml", bytes)).toBe("Nothing is told of this and all of that");
  });

  it("Japanese is read, which is ASCII with escapes, and HTML where there is nothing else", async () => {
    const iso2022 = (text: string) => `\x1b$B${text}\x1b(B`;
    const bytes = lines("Content-Type: text/html; charset=ISO-2022-JP", "", `<p>${iso2022("F|K\\")}</p>`);
    expect(await readText("a.eml", bytes)).toBe("日本");
    expect(await readText("a.html", utf8(`<meta charset=iso-2022-jp><p>${iso2022("F|K\\")}`))).toBe("日本");
  });

  it("one after the other is read of a mailbox", async () => {
    const bytes = lines(
      "From ada Tue Oct 1",
      "Subject: One",
      "",
      "First",
      "",
      "From bo Wed Oct 2",
      "Subject: Two",
      "",
      "Second",
    );
    expect(await readText("a.mbox", bytes)).toBe("One First Two Second");
  });

  it.each(["multipart/mixed; boundary=x", "multipart/alternative; boundary=x", "message/rfc822"])(
    "it ends, however deep it goes: %s",
    async (type) => {
      const bytes = lines(`Subject: deep\r\nContent-Type: ${type}\r\n\r\n--x\r\n`.repeat(2000));
      expect(await readText("a.eml", bytes)).toMatch(/^deep/);
    },
  );
});

describe("of content lines", () => {
  it("what a calendar says is read, without its times, its alarms and its program", async () => {
    const bytes = lines(
      ...["BEGIN:VCALENDAR", "PRODID:-//Example//EN", "X-WR-CALNAME:Club", "BEGIN:VEVENT", "UID:1@example"],
      ...[
        "DTSTART;TZID=Europe/Prague:20240503T100000",
        "SUMMARY;LANGUAGE=en:Dentist\\, at la",
        " st",
        "LOCATION:Main St. 5",
      ],
      ...['ATTENDEE;CN="Ada: L";RSVP=TRUE:mailto:ada@example.org', "DESCRIPTION:Bring\\nthe card"],
      ...["BEGIN:VALARM", "DESCRIPTION:Reminder", "END:VALARM", "END:VEVENT", "END:VCALENDAR"],
    );
    expect(await readText("a.ics", bytes)).toBe("Club Dentist, at last Main St. 5 Ada: L Bring the card");
  });

  it("people are read, without their pictures, also of old phones", async () => {
    const bytes = lines(
      ...["BEGIN:VCARD", "VERSION:4.0", "N:Lovelace;Ada;;;", "FN:Ada Lovelace", "ORG:Engines;Analysis"],
      ...["item1.TEL;VALUE=uri:tel:+44 20 7946", "PHOTO:data:image/jpeg;base64,QUJD", " QUJD", "END:VCARD"],
    );
    expect(await readText("a.vcf", bytes)).toBe("Ada Lovelace Engines Analysis +44 20 7946");
    const old = lines(
      ...[
        "BEGIN:VCARD",
        "VERSION:2.1",
        "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=9C;=D0=90=D0=B4=",
        "=D0=B0;;;",
        "END:VCARD",
      ],
    );
    expect(await readText("a.vcf", old)).toBe("М Ада");
  });
});

describe("of XML", () => {
  it.each([
    [
      "a.rss",
      "<rss><channel><title>Bakery</title><link>http://x.example</link><language>en</language><item><title>Rye &amp;amp; oats</title>" +
        "<guid>1</guid><pubDate>Tue</pubDate><description>&lt;p&gt;Mill &lt;b&gt;it&lt;/b&gt;&lt;/p&gt;</description>" +
        "<content:encoded><![CDATA[<p>Then&nbsp;bake</p>]]></content:encoded></item></channel></rss>",
      "Bakery Rye & oats Mill it Then bake",
    ],
    [
      "a.atom",
      '<?xml version="1.0"?><feed><title>Bakery</title><id>urn:1</id><updated>2024</updated><entry><author><name>Ada</name><email>a@b.c</email></author>' +
        '<summary type="html">&lt;i&gt;Rye&lt;/i&gt; bread</summary></entry></feed>',
      "Bakery Ada Rye bread",
    ],
    [
      "a.opml",
      '<opml><head><title>Podcasts</title></head><body><outline text="Baking &amp; more"><outline title="Crumbs" type="rss" xmlUrl="http://x"/></outline></body></opml>',
      "Podcasts Baking & more Crumbs",
    ],
    [
      "a.kml",
      "<kml><Placemark><name>Mill</name><description><![CDATA[<b>Old</b>]]></description><styleUrl>#x</styleUrl><coordinates>1,2 3,4</coordinates></Placemark></kml>",
      "Mill Old",
    ],
    ["a.fb2", "<FictionBook><p>Em<emphasis>pha</emphasis>sis</p></FictionBook>", "Emphasis"],
    [
      "a.fodt",
      "<office:document><dc:date>2024</dc:date><text:p>K<text:span>nead</text:span></text:p></office:document>",
      "Knead",
    ],
    ["a.html", "<p>caf&eacute; &#x4e2d;&shy;&#22269; &lt;b&gt; un<wbr>broken</p>", "café 中国 <b> unbroken"],
  ])("%s is read", async (name, markup, text) => {
    expect(await readText(name, utf8(markup))).toBe(text);
  });
});

describe("of tables and records", () => {
  const row = "2024-01-31,Rechnung,Mustermann,Hauptstrasse,Frankfurt,bezahlt,Ueberweisung";

  it.each([
    ["a.csv", `when,what,who\n${row}`, `when, what, who ${row.replaceAll(",", ", ")}`],
    ["a.csv", 'name;price\n"Milk; fresh";1,50', "name; price Milk; fresh; 1,50"],
    ["a.tsv", "name\tprice\nMilk\t1,50", "name price Milk 1,50"],
    ["a.csv", "name\nMilk, fresh", "name Milk, fresh"],
  ])("columns of %s stand apart", async (name, text, read) => {
    expect(await readText(name, utf8(text))).toBe(read);
  });

  it.each([
    [
      "a.json",
      '{"city":"M\\u00fcnchen","people":["Ada","Bo \\"the baker\\""],"note":"one\\ntwo","n":3}',
      'city: München, people: Ada, Bo "the baker" , note: one two, n: 3',
    ],
    ["a.jsonl", '{"a":"x"}\n{"a":"y"}', "a: x a: y"],
    ["a.json", '{"cut":"off he', "cut: off he"],
  ])("%s has its words", async (name, text, read) => {
    expect(await readText(name, utf8(text))).toBe(read);
  });
});

describe("of lines", () => {
  it.each([
    [
      "a.vtt",
      "WEBVTT - Baking\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE\nof the\ntranslator\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ada>Knead &amp; fold\nNOTE this\n\n00:03.000 --> 00:04.000\nbake",
      "Knead & fold NOTE this bake",
    ],
    [
      "a.ass",
      "[Script Info]\nTitle: Baking\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name\nStyle: Default,Arial\n\n[Events]\nFormat: Layer\nComment: 0,0,0,D,,0,0,0,,unseen\nDialogue: 0,0,0,D,,0,0,0,,Knead, then bake",
      "Baking Knead, then bake",
    ],
    [
      "a.md",
      'See [the mill](http://x.example/a_(b) "Our mill") <br> and ![loaf](l.png).<!-- later -->\n\n[1]: http://x.example\n`List<Text>`',
      "See the mill and ! loaf . List<Text>",
    ],
  ])("%s has what people read", async (name, text, read) => {
    expect(await readText(name, utf8(text))).toBe(read);
  });
});
