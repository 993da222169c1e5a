using System.Globalization;
using System.IO.Compression;
using System.Text;

namespace Tests.Shared.CloudFront;

/// <summary>
/// Generated logs in CloudFront's standard format 1.0: the same bytes for the same numbers on every machine. Few clients, paths and
/// agents make it compress like a busy site's log (about 80:1).
/// </summary>
internal sealed class AccessLog
{
    private static readonly string[] Columns =
    [
        "date", "time", "x-edge-location", "sc-bytes", "c-ip", "cs-method", "cs(Host)", "cs-uri-stem", "sc-status", "cs(Referer)", "cs(User-Agent)",
        "cs-uri-query", "cs(Cookie)", "x-edge-result-type", "x-edge-request-id", "x-host-header", "cs-protocol", "cs-bytes", "time-taken",
        "x-forwarded-for", "ssl-protocol", "ssl-cipher", "x-edge-response-result-type", "cs-protocol-version", "fle-status", "fle-encrypted-fields",
        "c-port", "time-to-first-byte", "x-edge-detailed-result-type", "sc-content-type", "sc-content-len", "sc-range-start", "sc-range-end",
    ];

    private static readonly string[] Agents =
    [
        "Mozilla/5.0%20(Windows%20NT%2010.0;%20Win64;%20x64)%20AppleWebKit/537.36%20(KHTML,%20like%20Gecko)%20Chrome/120.0.0.0%20Safari/537.36",
        "Mozilla/5.0%20(iPhone;%20CPU%20iPhone%20OS%2017_1%20like%20Mac%20OS%20X)%20AppleWebKit/605.1.15%20(KHTML,"
            + "%20like%20Gecko)%20Version/17.1%20Mobile/15E148",
        "Mozilla/5.0%20(X11;%20Linux%20x86_64;%20rv:121.0)%20Gecko/20100101%20Firefox/121.0",
        "curl/8.5.0",
    ];

    private ulong _state;

    private AccessLog(int seed) => _state = (ulong)seed + 0x9E3779B97F4A7C15;

    /// <summary>Generates a log.</summary>
    /// <param name="rows">Number of rows after the two directives.</param>
    /// <param name="columns">Number of columns, of the current 33; earlier logs have 24, 25 or 26.</param>
    /// <param name="seed">Seed of the random rows.</param>
    public static byte[] Create(int rows, int columns = 26, int seed = 1) => new AccessLog(seed).Write(rows, columns);

    /// <summary>The same log, compressed.</summary>
    public static byte[] CreateCompressed(int rows, int columns = 26, int seed = 1) => Compress(Create(rows, columns, seed));

    public static byte[] Compress(ReadOnlySpan<byte> text)
    {
        using MemoryStream compressed = new();
        using (GZipStream gzip = new(compressed, CompressionLevel.Optimal))
        {
            gzip.Write(text);
        }

        return compressed.ToArray();
    }

    private byte[] Write(int rows, int columns)
    {
        StringBuilder text = new();
        text.Append("#Version: 1.0\n#Fields:");
        foreach (string column in Columns.AsSpan(0, columns))
        {
            text.Append(' ').Append(column);
        }

        text.Append('\n');
        string[][] requests = [.. Enumerable.Range(0, 48).Select(_ => Request())];
        int second = 0;
        for (int row = 0; row < rows; row++)
        {
            second += Next(40) == 0 ? 1 : 0;
            string[] request = requests[Next(100) == 0 ? Next(requests.Length) : row / 64 % requests.Length];
            text.Append("2026-01-31\t").Append(CultureInfo.InvariantCulture, $"{10 + (second / 3600 % 10)}:{second / 60 % 60:00}:{second % 60:00}");
            foreach (string value in request.AsSpan(0, columns - 2))
            {
                text.Append('\t').Append(value);
            }

            text.Append('\n');
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    /// <summary>All columns after date and time.</summary>
    private string[] Request()
    {
        string path = $"/assets/static/{Next(1_000)}/bundle-app-{Next(100)}.min.js";
        return
        [
            $"FRA{Next(60)}-C1", $"{Next(90_000) + 300}", $"192.0.2.{Next(256)}", "GET", "d111111abcdef8.cloudfront.net", path, Next(10) == 0 ? "404" : "200",
            Next(3) == 0 ? "-" : $"https://www.example.com/page/{Next(50)}", Agents[Next(Agents.Length)], Next(2) == 0 ? "-" : $"v={Next(1_000)}", "-", "Hit",
            $"SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLi{Next(10_000):0000}==", "www.example.com", "https", $"{Next(900)}", $"0.{Next(1_000):000}",
            "-", "TLSv1.3",
            "TLS_AES_128_GCM_SHA256", "Hit", "HTTP/2.0", "-", "-", $"{Next(60_000) + 1_024}", $"0.{Next(1_000):000}", "Hit", "application/javascript",
            $"{Next(90_000)}", "-", "-",
        ];
    }

    // splitmix64, so that the logs do not depend on the runtime's generator.
    private int Next(int below)
    {
        _state += 0x9E3779B97F4A7C15;
        ulong value = _state;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return (int)((value ^ (value >> 31)) % (ulong)below);
    }
}
