using System.Text.RegularExpressions;

namespace Integration.Tests.Documents;

/// <summary>Reads instruments, log events and span attributes from the source text: most of them exist at run time only while a server is connected.</summary>
internal static partial class SourceScan
{
    /// <summary>Every instrument, by name.</summary>
    public static IReadOnlyList<InstrumentRow> Instruments()
    {
        InstrumentRow[] all =
            [.. Files().SelectMany(text => Creation.Matches(text).Select(match => Read(match, text))).OrderBy(row => row.Name, StringComparer.Ordinal)];
        string[] names = [.. all.Select(row => row.Name)];
        return [.. all.Select(row => row with { Attributes = [.. row.Attributes.Except(names)] })];
    }

    /// <summary>Every log event, by id.</summary>
    public static IReadOnlyList<(int Id, string Level, string Text)> Events() => [.. Files()
        .SelectMany(text => Event.Matches(text))
        .Select(match => (int.Parse(match.Groups["id"].Value), match.Groups["level"].Value, Texts(match.Groups["text"].Value)))
        .OrderBy(row => row.Item1)];

    /// <summary>The attributes of spans.</summary>
    public static IReadOnlyList<string> SpanAttributes() => [.. Files()
        .Where(text => text.Contains("Activity", StringComparison.Ordinal))
        .SelectMany(text => SpanAttribute.Matches(text))
        .Select(match => match.Groups["name"].Value)
        .Where(name => name != "worker.route")
        .Distinct(StringComparer.Ordinal)
        .Order(StringComparer.Ordinal)];

    private static IEnumerable<string> Files() => Directory.EnumerateFiles(RepositoryFolder.Combine("src"), "*.cs", SearchOption.AllDirectories)
        .Where(file => !Path.GetRelativePath(RepositoryFolder.Combine("src"), file).Split(Path.DirectorySeparatorChar).Any(part => part is "bin" or "obj"))
        .Select(File.ReadAllText);

    private static InstrumentRow Read(Match creation, string text)
    {
        string kind = creation.Groups["kind"].Value;
        string[] texts = [
            .. Literal
                .Matches(Joint.Replace(creation.Groups["arguments"].Value, string.Empty))
                .Select(match => match.Groups["text"].Value)
                .Where(found => !Attribute.IsMatch($"\"{found}\""))];
        string field = creation.Groups["field"].Value;
        string measured = field.Length == 0
            ? creation.Value
            : string.Join(' ', Regex.Matches(text, $@"\b{field}\.(?:Try)?(?:Add|Record)\(([^;]*);").Select(match => match.Value));
        return new InstrumentRow(
            creation.Groups["name"].Value,
            kind.Contains("Histogram", StringComparison.Ordinal) ? "histogram" : kind.Contains("Count", StringComparison.Ordinal) ? "counter" : "gauge",
            texts.Length > 1 ? texts[0] : kind == "CountRoutes" ? "{message}" : string.Empty,
            texts[^1],
            [.. Attributes(measured, text, depth: 4).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)]);
    }

    // The attributes in a statement, and in the declarations of its names in the same file.
    private static IEnumerable<string> Attributes(string statement, string file, int depth) =>
        Attribute.Matches(statement).Select(match => match.Groups["name"].Value)
            .Concat(depth == 0
                ? []
                : Identifier.Matches(statement)
                    .Select(match => match.Value)
                    .Distinct(StringComparer.Ordinal)
                    .SelectMany(name => Regex.Matches(file, $@"(?<!\.)\b{name}(?:\([^()]*\))?\s*=>?\s*(?<value>[^=>;][^;]*);"))
                    .SelectMany(match => Attributes(match.Groups["value"].Value, file, depth - 1)));

    private static string Texts(string literals) =>
        string.Concat(Literal.Matches(literals).Select(match => match.Groups["text"].Value)).Replace("\\\"", "\"", StringComparison.Ordinal);

    [GeneratedRegex(
        """(?:(?<field>\w+)\s*=\s*)?(?:Meter\.Create(?<kind>\w+?)(?:<\w+>)?|(?<kind>CountRoutes|GaugeInlets))\(\s*"(?<name>(?:messaging|worker)\.[a-z_.]+)"(?<arguments>(?:"(?:\\.|[^"\\])*"|[^;"])*);""")]
    private static partial Regex Creation { get; }

    /// <summary>Between two pieces of one text.</summary>
    [GeneratedRegex(""" "\s*\+\s*" """, RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex Joint { get; }

    [GeneratedRegex("""\[LoggerMessage\(\s*(?<id>\d+),\s*(?:LogLevel\.(?<level>\w+),\s*)?(?<text>(?:"(?:\\.|[^"\\])*"|\s|\+)+)""")]
    private static partial Regex Event { get; }

    [GeneratedRegex("""(?:SetTag\(|new\(|const string \w+ = )"(?<name>(?:messaging|worker|error|rpc|aws|http)\.[a-z0-9_.]+)""")]
    private static partial Regex SpanAttribute { get; }

    [GeneratedRegex("""(?<=")(?<name>(?:messaging|worker|error|rpc|http)\.[a-z_.]+)(?=")""")]
    private static partial Regex Attribute { get; }

    // Fields, methods, and the local "tag" of one file.
    [GeneratedRegex("""\b(?:_[a-z]\w+|[A-Z]\w+|tag)\b""")]
    private static partial Regex Identifier { get; }

    [GeneratedRegex(@"""(?<text>(?:\\.|[^""\\])*)""")]
    private static partial Regex Literal { get; }
}

/// <summary>An instrument of the meter <c>Worker</c>.</summary>
internal sealed record InstrumentRow(string Name, string Type, string Unit, string Description, IReadOnlyList<string> Attributes);
