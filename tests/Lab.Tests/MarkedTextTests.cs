namespace Lab.Tests;

public sealed class MarkedTextTests
{
    private const string Text =
        "before\n<!-- figures:A -->\nold\n<!-- /figures:A -->\nbetween\n<!-- figures:B -->\n<!-- /figures:B -->\n<!-- seeds:C -->\n<!-- /seeds:C -->\nafter\n";

    [Theory]
    [InlineData("<!-- figures:A --> without an end")]
    [InlineData("<!-- /figures:A --> before <!-- figures:A -->")]
    [InlineData("nothing")]
    public void Replace_NoWholeBlock_Throws(string text) => Should.Throw<FormatException>(() => MarkedText.Replace(text, "figures", "A", "new"));
}
