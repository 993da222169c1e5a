using System.Text.RegularExpressions;

namespace Integration.Tests.Packages;

/// <summary>
/// Each code block of docs/guides/extend.md and polling.md is an excerpt of the file that it names, and the solution or the samples build that file.
/// </summary>
public sealed partial class ExtendingPageTests
{
    private const string Gap = "// …";

    private static IEnumerable<string> Pages =>
        [RepositoryFolder.Combine("docs", "guides", "extend.md"), RepositoryFolder.Combine("docs", "guides", "polling.md")];

    public static TheoryData<string, string> Blocks
    {
        get
        {
            TheoryData<string, string> blocks = [];
            foreach (Match block in Pages.SelectMany(page => Block.Matches(File.ReadAllText(page))))
            {
                blocks.Add(block.Groups["file"].Value, block.Groups["code"].Value);
            }

            return blocks;
        }
    }

    [Fact]
    public void Page_EachBlockOfCode_NamesItsFile()
    {
        int all = Pages.SelectMany(File.ReadLines).Count(line => line == "```csharp");

        Blocks.Count.ShouldBe(all);
    }

    [Theory]
    [MemberData(nameof(Blocks))]
    public void Page_ABlockOfCode_IsInItsFile(string file, string code)
    {
        string[] lines = [.. File.ReadLines(RepositoryFolder.Combine(file)).Select(line => line.Trim())];
        int from = 0;
        foreach (string[] part in Parts(code))
        {
            from = Find(lines, part, from);
            from.ShouldBeGreaterThan(0, $"{file} has no such lines: {string.Join('\n', part)}");
        }
    }

    [GeneratedRegex("From `(?<file>[^`]+)`:\n\n```csharp\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Block { get; }

    private static IEnumerable<string[]> Parts(string code) =>
        code.TrimEnd().Split(Gap).Select(part => part.Trim().Split('\n').Select(line => line.Trim()).ToArray());

    /// <summary>The line after the part; 0 where the part is missing.</summary>
    private static int Find(string[] lines, string[] part, int from)
    {
        for (int i = from; i <= lines.Length - part.Length; i++)
        {
            if (lines.AsSpan(i, part.Length).SequenceEqual(part))
            {
                return i + part.Length;
            }
        }

        return 0;
    }
}
