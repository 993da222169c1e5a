namespace Benchmarks;

/// <summary>Figures as documents show them, with as many digits as a shared machine justifies.</summary>
internal static class FigureText
{
    /// <summary>Nanoseconds without their unit, such as 0.4, 15.2 or 2,109.</summary>
    public static string Nanoseconds(double value) => value < 10 ? $"{value:0.0}" : value < 100 ? $"{value:0.#}" : $"{value:N0}";

    /// <summary>A time in the unit that suits it.</summary>
    public static string Time(double nanoseconds) => nanoseconds switch
    {
        < 10_000 => $"{Nanoseconds(nanoseconds)} ns",
        < 10_000_000 => $"{Nanoseconds(nanoseconds / 1_000)} us",
        < 10_000_000_000 => $"{Nanoseconds(nanoseconds / 1_000_000)} ms",
        _ => $"{Nanoseconds(nanoseconds / 1_000_000_000)} s",
    };

    /// <summary>Bytes; from a million on in MB of 2^20.</summary>
    public static string Bytes(double value) => value < 1_000_000 ? $"{value:N0} B" : $"{value / (1 << 20):N1} MB";
}
