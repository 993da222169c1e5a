using System.Text.RegularExpressions;

namespace Integration.Tests.Documents;

/// <summary>
/// What no test does. A test's own limit (tests/Shared/Limits) ends an await that lasts for ever, but no blocked thread; and Shouldly's
/// own ShouldAllBe, called by its type, passes without elements.
/// </summary>
public sealed partial class TestSourcesTests
{
    [Fact]
    public void Tests_NeverBlockWithoutALimit() => Find(Blocking).ShouldBeEmpty("Pass a limit, and assert what the call returns.");

    [Fact]
    public void Tests_OverrideNoLimitWithNone() => Find(Unlimited).ShouldBeEmpty("A test without a limit hangs with what it awaits.");

    private static string[] Find(Regex pattern) =>
    [
        .. Directory.EnumerateFiles(RepositoryFolder.Combine("tests"), "*.cs", SearchOption.AllDirectories)
            .Where(file => Path.GetFileName(file) != $"{nameof(TestSourcesTests)}.cs"
                && !Path.GetRelativePath(RepositoryFolder.Root, file).Split(Path.DirectorySeparatorChar).Any(part => part is "bin" or "obj"))
            .SelectMany(file => File.ReadLines(file).Index()
                .Where(line => pattern.IsMatch(line.Item))
                .Select(line => $"{Path.GetRelativePath(RepositoryFolder.Root, file)}:{line.Index + 1}: {line.Item.Trim()}")),
    ];

    [GeneratedRegex(@"\.(Join|WaitOne|Wait)\(\)")]
    private static partial Regex Blocking { get; }

    [GeneratedRegex(@"\[(Xunit\.)?(Fact|Theory)\([^)]*Timeout = 0")]
    private static partial Regex Unlimited { get; }
}
