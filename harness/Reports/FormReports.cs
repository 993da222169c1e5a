namespace Harness.Reports;

/// <summary>The file that --form all writes.</summary>
/// <param name="Forms">A run of each form, in the order they are documented.</param>
internal sealed record FormReports(IReadOnlyList<HarnessReport> Forms);
