namespace Harness.Pages;

/// <summary>A row of a bar chart: its label above, a bar per value below. Of two bars the second is the highlighted one.</summary>
internal sealed record ChartRow(string Label, params ChartBar[] Bars)
{
    /// <summary>The tooltip of the label: the complete text.</summary>
    public string Title { get; init; } = Label;

    /// <summary>True for a row in grey, as a reference for the others.</summary>
    public bool IsQuiet { get; init; }
}

/// <param name="Value">The value that sets the bar's length; 0 or more.</param>
/// <param name="Text">The value with its unit.</param>
internal readonly record struct ChartBar(double Value, string Text);

/// <param name="Value">The value that sets the column's height; 0 or more.</param>
/// <param name="Text">The tooltip of the column.</param>
internal readonly record struct ChartColumn(double Value, string Text);
