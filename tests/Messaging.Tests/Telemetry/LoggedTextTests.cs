using System.Text.RegularExpressions;

namespace Messaging.Tests.Telemetry;

/// <summary>
/// Every log call of the worker, read from the source: where a text of others (an id, a key, a description, the message of an exception) meets the log, it is
/// escaped and shortened at that place.
/// </summary>
public sealed partial class LoggedTextTests
{
    /// <summary>Texts of others that are escaped where they are made, each with that place.</summary>
    private static readonly Dictionary<string, string> EscapedEarlier = new(StringComparer.Ordinal)
    {
        ["InMemoryMessages.Closing.cs: string.Join(\", \", some.Select(message => message.Id))"] = "LostMessage.Of",
        ["IndexTerminator.cs: settlement.Description!"] = "IndexTerminator, by which the description is made",
        ["SqsMessageSource.cs: exception.Message"] = "AwsServiceException",
        ["SqsMessageSource.Receiving.cs: exception.Message"] = "AwsServiceException",
        ["SqsMessageSource.Settling.cs: exception.Message"] = "AwsServiceException",
        ["MessageSettler.cs: IdOf(delivery)"] = "MessageSettler.IdOf",
    };

    [Fact]
    public void Calls_TextsOfOthers_AreEscaped()
    {
        Dictionary<string, string> files = Files();
        List<string> problems = [];
        HashSet<string> used = [];
        int calls = 0;
        foreach ((string type, string method) in files.SelectMany(static file => Methods(file.Key, file.Value)).Distinct())
        {
            foreach ((string name, string text) in files)
            {
                // A method of a log class can be called on a log from every file, another one only from the files of its type.
                bool isOwn = TypeOf(name) == type;
                if (!isOwn && !type.EndsWith("Log", StringComparison.Ordinal))
                {
                    continue;
                }

                foreach (Match call in Regex.Matches(text, isOwn ? $@"(?<!void )(?<!\w){method}\(" : $@"(?<=[lL]og(?:ger)?[!?]?\.){method}\("))
                {
                    foreach (string argument in Arguments(text, call.Index + call.Length - 1))
                    {
                        calls++;
                        string place = $"{name}: {argument}";
                        if (Foreign.IsMatch(argument) && !argument.Contains("UntrustedText.", StringComparison.Ordinal))
                        {
                            if (EscapedEarlier.ContainsKey(place))
                            {
                                used.Add(place);
                            }
                            else
                            {
                                problems.Add($"{place} ({method})");
                            }
                        }
                    }
                }
            }
        }

        calls.ShouldBeGreaterThan(300, "The log calls are found.");
        problems.Distinct().ShouldBeEmpty("Pass the text through UntrustedText.Shorten, or name the place that escapes it.");
        EscapedEarlier.Keys.Except(used).ShouldBeEmpty("No such call.");
    }

    [Theory]
    [InlineData("message.SourceId.Span", true)]
    [InlineData("Encoding.UTF8.GetString(id)", true)]
    [InlineData("exception.Message", true)]
    [InlineData("failure.Message.TrimEnd('.')", true)]
    [InlineData("settlement.Description", true)]
    [InlineData("settlement.Reason", true)]
    [InlineData("_route", false)]
    [InlineData("exception", false)]
    [InlineData("DurationText.Of(limit)", false)]
    public void Foreign_Argument_IsRecognised(string argument, bool expected) => Foreign.IsMatch(argument).ShouldBe(expected);

    private static Dictionary<string, string> Files()
    {
        string root = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(root, "Worker.sln")))
        {
            root = Path.GetDirectoryName(root).ShouldNotBeNull();
        }

        char separator = Path.DirectorySeparatorChar;
        return Directory.EnumerateFiles(Path.Combine(root, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Contains($"{separator}obj{separator}", StringComparison.Ordinal)
                && !file.Contains($"{separator}bin{separator}", StringComparison.Ordinal))
            .GroupBy(file => Path.GetFileName(file))
            .ToDictionary(group => group.Key, group => string.Join('\n', group.Select(File.ReadAllText)), StringComparer.Ordinal);
    }

    private static string TypeOf(string file) => file.Split('.')[0];

    private static IEnumerable<(string Type, string Method)> Methods(string file, string text)
    {
        string type = TypeOf(file);

        // The methods of a log class that pass texts on are log methods, too: what they pass is escaped by their callers.
        Regex declaration = type.EndsWith("Log", StringComparison.Ordinal) ? Declaration : PartialDeclaration;
        return declaration
            .Matches(text)
            .Where(match => match.Groups["parameters"].Value.Contains("string", StringComparison.Ordinal))
            .Select(match => (type, match.Groups["name"].Value));
    }

    /// <summary>The arguments between the parenthesis at this index and its end.</summary>
    private static IEnumerable<string> Arguments(string text, int open)
    {
        int depth = 0;
        bool isText = false;
        int begin = open + 1;
        for (int i = open; i < text.Length; i++)
        {
            char c = text[i];
            if (isText)
            {
                i += c == '\\' ? 1 : 0;
                isText = c != '"';
            }
            else if (c == '"')
            {
                isText = true;
            }
            else if (c is '(' or '[' or '{')
            {
                depth++;
            }
            else if (c is ')' or ']' or '}' && --depth == 0)
            {
                yield return text[begin..i].Trim();
                yield break;
            }
            else if (c == ',' && depth == 1)
            {
                yield return text[begin..i].Trim();
                begin = i + 1;
            }
        }
    }

    [GeneratedRegex(@"partial void (?<name>\w+)\((?<parameters>[^)]*)\)")]
    private static partial Regex PartialDeclaration { get; }

    [GeneratedRegex(@"\bvoid (?<name>\w+)\((?<parameters>[^)]*)\)")]
    private static partial Regex Declaration { get; }

    [GeneratedRegex(
        @"SourceId|MessageId|\bmessage\.Id\b|Encoding\.|GetFileName|\bIdOf\(|\.Location\b|VersionId|[eE]xception\.Message|[fF]ailure\.Message|\.Description\b|[sS]ettlement\.Reason")]
    private static partial Regex Foreign { get; }
}
