using System.Diagnostics.Metrics;
using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Configuration;

/// <summary>
/// A certificate that the worker presents to its peers, with its key. Its files are read again every minute, so a renewed certificate needs no restart. How
/// long it is valid is a metric, a warning from 14 days before its end on, and then a problem. Threads: any.
/// </summary>
internal sealed partial class PresentedCertificate : IDisposable
{
    private const string IsRead = "a running worker reads it within a minute.";

    private static readonly TimeSpan WarnBefore = TimeSpan.FromDays(14);
    private static readonly TimeSpan ReadEvery = TimeSpan.FromMinutes(1);

    private readonly string _setting;
    private readonly string? _route;
    private readonly Func<X509Certificate2Collection> _read;
    private readonly TimeProvider _time;
    private readonly ThrottlingLogger _logger;
    private readonly ITimer _timer;
    private volatile X509Certificate2Collection _chain;

    /// <summary>Reads the certificate, and warns when it ends soon.</summary>
    /// <param name="setting">The full key of the setting that names the file; with Key behind it, the one of its key's file.</param>
    /// <param name="route">The route; null outside one.</param>
    /// <param name="file">See <see cref="Read"/>.</param>
    /// <param name="keyFile">See <see cref="Read"/>.</param>
    /// <param name="password">See <see cref="Read"/>.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">Is told of a renewal, of an end and of files that can no longer be read.</param>
    /// <exception cref="StartupException">The files cannot be used.</exception>
    public PresentedCertificate(string setting, string? route, string file, string? keyFile, string? password, TimeProvider time, ILogger logger)
    {
        ArgumentNullException.ThrowIfNull(time);
        if (FindProblem(file, keyFile, password) is { } problem)
        {
            string files = keyFile is null ? SettingText.Mask(file) : $"{SettingText.Mask(file)} with {setting}Key {SettingText.Mask(keyFile)}";
            throw new StartupException($"{setting} {files}: {problem}", ExitCodes.Configuration);
        }

        _setting = setting;
        _route = route;
        _read = () => Read(file, keyFile, password);
        _time = time;
        _logger = new ThrottlingLogger(logger, time, TimeSpan.FromDays(1));
        _chain = _read();
        Meter.CreateObservableGauge(
            "worker.certificate.remaining",
            () => new Measurement<double>(
                Remaining.TotalSeconds,
                new KeyValuePair<string, object?>("worker.route", route),
                new KeyValuePair<string, object?>("worker.setting", setting)),
            "s",
            "Time until the certificate of a setting ends; negative after its end");
        Warn();
        _timer = time.CreateTimer(static state => ((PresentedCertificate)state!).Refresh(), this, ReadEvery, ReadEvery);
    }

    /// <summary>The certificate with its private key, and behind it the other certificates of its file. A renewal replaces the collection.</summary>
    public X509Certificate2Collection Chain => _chain;

    /// <summary>Why peers refuse the certificate: it has ended, or is not valid yet; null while it is valid.</summary>
    public string? Problem => Remaining <= TimeSpan.Zero
        ? $"The certificate of {_setting} ended at {Text(_chain[0].NotAfter)}: peers refuse it. Renew its file; {IsRead}"
        : _time.GetUtcNow() >= new DateTimeOffset(_chain[0].NotBefore) ? null
        : $"The certificate of {_setting} is valid only from {Text(_chain[0].NotBefore)} on: peers refuse it. Check the clock, or replace its file; {IsRead}";

    // Of its own, so that a route that has ended leaves nothing to measure.
    private Meter Meter { get; } = new(RouteMetrics.SourceName);

    private TimeSpan Remaining => new DateTimeOffset(_chain[0].NotAfter) - _time.GetUtcNow();

    /// <summary>Reads a file of PKCS #12 (.pfx, .p12), or of PEM: the certificate of the key, wherever it stands, and the others of the file.</summary>
    /// <param name="file">The certificate.</param>
    /// <param name="keyFile">The PEM file of its key; null when the key is in <paramref name="file"/>.</param>
    /// <param name="password">Of an encrypted key; null for none.</param>
    /// <returns>The certificate with its key first.</returns>
    /// <exception cref="CryptographicException">The content cannot be used.</exception>
    /// <exception cref="ArgumentException">The key belongs to no certificate of the file.</exception>
    /// <exception cref="IOException">A file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The same.</exception>
    public static X509Certificate2Collection Read(string file, string? keyFile, string? password)
    {
        if (IsPkcs12(file))
        {
            return [X509CertificateLoader.LoadPkcs12FromFile(file, password)];
        }

        string key = File.ReadAllText(keyFile ?? file);
        X509Certificate2Collection all = [];
        all.ImportFromPem(File.ReadAllText(file));
        Exception fault = new CryptographicException("It has no certificate.");
        foreach (X509Certificate2 candidate in all)
        {
            try
            {
                string pem = candidate.ExportCertificatePem();
                return
                [
                    password is null ? X509Certificate2.CreateFromPem(pem, key) : X509Certificate2.CreateFromEncryptedPem(pem, key, password),
                    .. all.Where(other => other != candidate),
                ];
            }
            catch (Exception exception) when (exception is CryptographicException or ArgumentException)
            {
                // Another certificate's key.
                fault = exception;
            }
        }

        throw fault;
    }

    /// <summary>Why the files cannot be used, as the predicate of a sentence; null when they can.</summary>
    public static string? FindProblem(string file, string? keyFile, string? password)
    {
        if ($"{file}{keyFile}".Contains("-----BEGIN", StringComparison.Ordinal))
        {
            return "must be paths of files, not their content.";
        }

        try
        {
            return Read(file, keyFile, password)[0].HasPrivateKey ? null : "must contain the private key too.";
        }
        catch (Exception exception) when (IsUnusable(exception))
        {
            return $"must be a certificate with its own private key, as PEM or PKCS #12, not encrypted if its password cannot be set: {exception.Message}";
        }
    }

    /// <summary>True for a file of PKCS #12, by its name.</summary>
    public static bool IsPkcs12(string file) => Path.GetExtension(file).ToUpperInvariant() is ".PFX" or ".P12";

    /// <inheritdoc/>
    public void Dispose()
    {
        _timer.Dispose();
        Meter.Dispose();
    }

    private static bool IsUnusable(Exception exception) =>
        exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException;

    private static string Text(DateTime time) => time.ToUniversalTime().ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture);

    private void Refresh()
    {
        try
        {
            X509Certificate2Collection chain = _read();
            if (chain[0].Thumbprint != _chain[0].Thumbprint)
            {
                _chain = chain;
                LogRenewed(_logger, _route, _setting, Text(chain[0].NotAfter));
            }
        }
        catch (Exception exception) when (IsUnusable(exception))
        {
            LogUnreadable(_logger, _route, _setting, UntrustedText.Shorten(exception.Message), Text(_chain[0].NotAfter));
        }

        Warn();
    }

    private void Warn()
    {
        if (Remaining < WarnBefore)
        {
            LogEnds(_logger, _route, _setting, Remaining > TimeSpan.Zero ? "ends" : "ended", Text(_chain[0].NotAfter));
        }
    }

    [LoggerMessage(1112, LogLevel.Warning,
        "Route {Route}: the certificate of {Setting} {Ends} at {End}; from then on peers refuse it. Renew its file: the worker reads it within a minute")]
    private static partial void LogEnds(ILogger logger, string? route, string setting, string ends, string end);

    [LoggerMessage(1113, LogLevel.Information, "Route {Route}: the certificate of {Setting} was renewed and is valid until {End}")]
    private static partial void LogRenewed(ILogger logger, string? route, string setting, string end);

    [LoggerMessage(1114, LogLevel.Warning,
        "Route {Route}: the files of {Setting} cannot be used: {Problem} The worker keeps the certificate that it has, which ends at {End}, and tries again")]
    private static partial void LogUnreadable(ILogger logger, string? route, string setting, string problem, string end);
}
