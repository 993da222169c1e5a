using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;

namespace Harness.Pages;

/// <summary>A self-contained page, without scripts, other files or fonts. It is well-formed XML, and every text is encoded.</summary>
internal sealed class HtmlPage(string title)
{
    private const string Style = """
        body{font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink);max-width:72rem;margin:0 auto;padding:1rem;overflow-wrap:break-word}
        h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;border-bottom:1px solid var(--line)}p{margin:.4rem 0}.muted,figcaption small{color:var(--muted)}
        .tiles,.charts{display:grid;gap:1.5rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));margin:1rem 0}.tiles{gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr))}
        .tiles div{border:1px solid var(--line);border-radius:.4rem;padding:.5rem .75rem}.tiles b{display:block;font-size:1.25rem}.tiles span{color:var(--muted);font-size:.85rem}
        figure{margin:0;min-width:0}figcaption{font-weight:600;font-size:.95rem;margin-bottom:.4rem}figcaption small{display:block;font-weight:400}svg{display:block;overflow:hidden}
        .wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}th,td{text-align:right;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;vertical-align:top}
        th:first-child,td:first-child{text-align:left}th:not(:first-child),td:not(:first-child){white-space:nowrap}table.words td,table.words th{text-align:left;white-space:normal}table.words{overflow-wrap:anywhere}a{color:var(--bar)}
        @media print{:root{color-scheme:light;--ground:#fff;--ink:#000;--muted:#444;--line:#bbb;--bar:#2a6fc9;--old:#9aa5b1}body{max-width:none;font-size:11pt}svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}figure,tr,.tiles div{break-inside:avoid}h2{break-after:avoid}.wide{overflow:visible}table{font-size:7pt}}
        """;

    private static readonly HtmlEncoder Encoder = HtmlEncoder.Create(UnicodeRanges.All);

    private readonly StringBuilder _body = new();
    private int _headings;

    public static string Encode(string text) => Encoder.Encode(text);

    public HtmlPage Heading(string text)
    {
        _body.Append($"<h2 id=\"h{++_headings}\">{Encode(text)}</h2>\n");
        return this;
    }

    /// <summary>Appends a closed list of links to the headings, which must follow in this order.</summary>
    public HtmlPage Contents(string summary, IEnumerable<string> headings)
    {
        _body.Append(
            $"<details><summary>{Encode(summary)}</summary>{string.Join(" · ", headings.Select((text, i) => $"<a href=\"#h{i + 1}\">{Encode(text)}</a>"))}"
                + $"</details>\n");
        return this;
    }

    public HtmlPage Paragraph(string text, bool isMuted = false)
    {
        _body.Append($"<p{(isMuted ? " class=\"muted\"" : "")}>{Encode(text)}</p>\n");
        return this;
    }

    /// <summary>Appends large figures, each with its name.</summary>
    public HtmlPage Tiles(IEnumerable<(string Name, string Figure)> tiles)
    {
        _body.Append("<div class=\"tiles\">");
        foreach ((string name, string figure) in tiles)
        {
            _body.Append($"<div><b>{Encode(figure)}</b><span>{Encode(name)}</span></div>\n");
        }

        _body.Append("</div>\n");
        return this;
    }

    /// <summary>Appends charts, side by side if the width permits.</summary>
    /// <param name="charts">The title, a note (may be empty) and the SVG, which is not encoded.</param>
    public HtmlPage Charts(params IEnumerable<(string Title, string Note, string Svg)> charts)
    {
        _body.Append("<div class=\"charts\">");
        foreach ((string name, string note, string svg) in charts)
        {
            _body.Append($"<figure><figcaption>{Encode(name)}{(note.Length > 0 ? $"<small>{Encode(note)}</small>" : "")}</figcaption>{svg}</figure>\n");
        }

        _body.Append("</div>\n");
        return this;
    }

    /// <param name="header">The columns' names.</param>
    /// <param name="rows">A text per column; the first names the row.</param>
    /// <param name="ofWords">True for texts; false for figures, which are right-aligned.</param>
    public HtmlPage Table(IEnumerable<string> header, IEnumerable<IEnumerable<string>> rows, bool ofWords = false)
    {
        _body.Append(
            $"<div class=\"wide\" tabindex=\"0\"><table{(ofWords ? " class=\"words\"" : "")}><thead><tr>"
                + $"{string.Concat(header.Select(text => $"<th>{Encode(text)}</th>"))}</tr></thead><tbody>\n");
        foreach (IEnumerable<string> row in rows)
        {
            _body.Append($"<tr>{string.Concat(row.Select(text => $"<td>{Encode(text)}</td>"))}</tr>\n");
        }

        _body.Append("</tbody></table></div>\n");
        return this;
    }

    // The policy enforces it: a browser refuses scripts and anything from another origin.
    public override string ToString() => $"""
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
        <title>{Encode(title)}</title>
        <style>
        {SvgChart.Style}
        {Style}
        </style></head><body>
        <h1>{Encode(title)}</h1>
        {_body}</body></html>

        """;
}
