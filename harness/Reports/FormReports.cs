namespace Harness.Reports;

/// <summary>The file of figures that --form all writes.</summary>
/// <param name="Forms">A run of each form, in the order of the documentation.</param>
internal sealed record FormReports(IReadOnlyList<HarnessReport> Forms);
