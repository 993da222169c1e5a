using System.CommandLine;
using Quayside.Messaging.CommandLine;

namespace Messaging.Tests.CommandLine;

public sealed class CountOptionTests
{
    [Theory]
    [InlineData("1", 1)]
    [InlineData("100", 100)]
    public void Parse_NumberInRange_IsTheValue(string text, int expected)
    {
        (Option<int?> option, ParseResult parsed) = Parse(["--count", text]);

        parsed.Errors.ShouldBeEmpty();
        parsed.GetValue(option).ShouldBe(expected);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("101")]
    [InlineData("-1")]
    [InlineData("abc")]
    [InlineData("1.5")]
    [InlineData("99999999999999999999")]
    public void Parse_AnythingElse_SaysWhatIsAllowed(string text)
    {
        (_, ParseResult parsed) = Parse([$"--count={text}"]);

        parsed.Errors.ShouldContain(error => error.Message == $"--count {text}: must be a whole number from 1 to 100.");
    }

    [Fact]
    public void Parse_NotGiven_IsTheDefault()
    {
        (Option<int?> option, ParseResult parsed) = Parse([], defaultValue: 7);

        parsed.GetValue(option).ShouldBe(7);
    }

    private static (Option<int?> Option, ParseResult Parsed) Parse(string[] args, int? defaultValue = null)
    {
        Option<int?> option = CountOption.Create("--count", ["-n"], "How many", 100, defaultValue);
        return (option, new RootCommand { option }.Parse(args));
    }
}
