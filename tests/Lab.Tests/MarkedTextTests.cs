namespace Lab.Tests;

public sealed class MarkedTextTests
{
    private const string Text = "before\n<!-- figures:A -->\nold\n<!-- /figures:A -->\nbetween\n<!-- figures:B -->\n<!-- /figures:B -->\n<!-- seeds:C -->\n<!-- /seeds:C -->\nafter\n";

    [Fact]
    public void Names_OneKind_AreThoseOfItsBlocksInOrder() => MarkedText.Names(Text, "figures").ShouldBe(["A", "B"]);

    [Fact]
    public void Replace_ABlock_LeavesTheRest() =>
        MarkedText.Replace(Text, "figures", "A", "new\n").ShouldBe(Text.Replace("\nold\n", "\nnew\n", StringComparison.Ordinal));

    [Fact]
    public void Replace_AnEmptyBlock_FillsIt() => MarkedText.Content(MarkedText.Replace(Text, "figures", "B", "new"), "figures", "B").ShouldBe("new");

    [Fact]
    public void Replace_Twice_GivesTheSame()
    {
        string once = MarkedText.Replace(Text, "seeds", "C", "new");

        MarkedText.Replace(once, "seeds", "C", "new").ShouldBe(once);
    }

    [Theory]
    [InlineData("<!-- figures:A --> without an end")]
    [InlineData("<!-- /figures:A --> before <!-- figures:A -->")]
    [InlineData("nothing")]
    public void Replace_NoWholeBlock_Throws(string text) => Should.Throw<FormatException>(() => MarkedText.Replace(text, "figures", "A", "new"));
}
