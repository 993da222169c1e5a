namespace Harness.Pages;

/// <summary>
/// Formats figures with their unit, to three significant digits or to whole numbers: 44 ms, 1,234/s, 12.3 MB (10^6 bytes). All pages use the same format.
/// </summary>
internal static class Figures
{
    public static string Time(double seconds) => seconds switch
    {
        0 => "0 s",
        < 1e-6 => $"{Number(seconds * 1e9)} ns",
        < 1e-3 => $"{Number(seconds * 1e6)} µs",
        < 1 => $"{Number(seconds * 1e3)} ms",
        _ => $"{Number(seconds)} s",
    };

    public static string Bytes(double bytes) => bytes switch
    {
        < 1e3 => $"{Number(bytes)} B",
        < 1e6 => $"{Number(bytes / 1e3)} KB",
        < 1e9 => $"{Number(bytes / 1e6)} MB",
        _ => $"{Number(bytes / 1e9)} GB",
    };

    public static string Rate(double perSecond) => $"{Number(perSecond)}/s";

    public static string Ratio(double ratio) => $"{Number(ratio)}×";

    public static string Number(double value) => Math.Abs(value) switch
    {
        >= 99.95 => $"{value:N0}",
        >= 9.995 => $"{value:0.#}",
        _ => $"{value:0.##}",
    };
}
