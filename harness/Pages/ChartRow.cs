namespace Harness.Pages;

/// <summary>A row of a bar chart: its label above, a bar per value below. Of two bars the second is the one to look at.</summary>
internal sealed record ChartRow(string Label, params ChartBar[] Bars)
{
    /// <summary>What a pointer on the label shows: the whole of it.</summary>
    public string Title { get; init; } = Label;

    /// <summary>True for a row that others are to be seen against.</summary>
    public bool IsQuiet { get; init; }
}

/// <param name="Value">What the bar's length shows; 0 or more.</param>
/// <param name="Text">The value with its unit.</param>
internal readonly record struct ChartBar(double Value, string Text);

/// <param name="Value">What the column's height shows; 0 or more.</param>
/// <param name="Text">What a pointer on the column shows.</param>
internal readonly record struct ChartColumn(double Value, string Text);
