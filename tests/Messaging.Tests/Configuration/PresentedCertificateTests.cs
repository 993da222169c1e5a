using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Configuration;

/// <summary>The files of a certificate that the worker presents, how long it is valid, and its renewal.</summary>
public sealed class PresentedCertificateTests : IDisposable
{
    private const string Setting = "Sources:TcpLines:Certificate";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("certificate-");
    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLog _log = new();

    private string CertificateFile => Path.Combine(_folder.FullName, "certificate.pem");

    private string KeyFile => Path.Combine(_folder.FullName, "key.pem");

    private DateTimeOffset Now => _time.GetUtcNow();

    [Theory]
    [InlineData("leaf, then authority")]
    [InlineData("authority, then leaf")]
    [InlineData("byte order mark")]
    [InlineData("UTF-16")]
    public void Read_LeafAnywhereInTheFile_ComesFirstWithItsKey(string order)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 leaf = Create("CN=leaf", key, Now.AddDays(90));
        using ECDsa otherKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 authority = Create("CN=authority", otherKey, Now.AddDays(900));
        string[] pems = [$"{leaf.ExportCertificatePem()}\n", $"{authority.ExportCertificatePem()}\n"];
        Encoding encoding = order switch
        {
            "byte order mark" => new UTF8Encoding(encoderShouldEmitUTF8Identifier: true),
            "UTF-16" => Encoding.Unicode,
            _ => new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
        };
        File.WriteAllText(CertificateFile, string.Concat(order == "authority, then leaf" ? pems.Reverse() : pems), encoding);
        File.WriteAllText(KeyFile, key.ExportPkcs8PrivateKeyPem(), encoding);

        X509Certificate2Collection chain = PresentedCertificate.Read(CertificateFile, KeyFile, password: null);

        chain.Select(certificate => certificate.Subject).ShouldBe(["CN=leaf", "CN=authority"]);
        chain[0].HasPrivateKey.ShouldBeTrue();
    }

    [Fact]
    public void FindProblem_NoCertificateOfTheKey_SaysWhatIsAllowed()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 other = Create("CN=other", key, Now.AddDays(90));
        using ECDsa own = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        File.WriteAllText(CertificateFile, other.ExportCertificatePem());
        File.WriteAllText(KeyFile, own.ExportPkcs8PrivateKeyPem());

        PresentedCertificate
            .FindProblem(CertificateFile, KeyFile, password: null)
            .ShouldNotBeNull()
            .ShouldStartWith("must be a certificate with its own private key");
    }

    [Fact]
    public void Open_LongValid_HasNoWarning()
    {
        using PresentedCertificate certificate = Open(TimeSpan.FromDays(14) + TimeSpan.FromMinutes(10));

        _time.Advance(TimeSpan.FromMinutes(9));

        _log.Entries.ShouldBeEmpty();
        certificate.Problem.ShouldBeNull();
    }

    [Fact]
    public void Warn_FromFourteenDaysBeforeTheEndOn_OncePerDay()
    {
        using PresentedCertificate certificate = Open(TimeSpan.FromDays(14));

        _time.Advance(TimeSpan.FromMinutes(1));

        LogEntry warning = _log.Entries.ShouldHaveSingleItem();
        (warning.Level, warning.Id.Id).ShouldBe((Microsoft.Extensions.Logging.LogLevel.Warning, 1112));
        warning.Text.ShouldBe(
            $"Route orders: the certificate of {Setting} ends at 2026-01-15 00:00 UTC; from then on peers refuse it. "
                + "Renew its file: the worker reads it within a minute");

        _time.Advance(TimeSpan.FromDays(1));
        _log.Entries.Count.ShouldBe(2, "A line per day.");
        certificate.Problem.ShouldBeNull();
    }

    [Fact]
    public void Problem_AfterTheEnd_NamesTheEndAndWhatToDo()
    {
        using PresentedCertificate certificate = Open(TimeSpan.FromMinutes(2));
        certificate.Problem.ShouldBeNull();

        _time.Advance(TimeSpan.FromMinutes(2));

        certificate.Problem.ShouldBe(
            $"The certificate of {Setting} ended at 2026-01-01 00:02 UTC: peers refuse it. Renew its file; a running worker reads it within a minute.");
    }

    [Fact]
    public void Problem_NotValidYet_NamesTheBeginning()
    {
        using PresentedCertificate certificate = Open(TimeSpan.FromDays(15), begin: TimeSpan.FromMinutes(5));

        certificate.Problem.ShouldNotBeNull().ShouldContain("is valid only from 2026-01-01 00:05 UTC on");
        _time.Advance(TimeSpan.FromMinutes(5));
        certificate.Problem.ShouldBeNull();
    }

    [Fact]
    public void Remaining_IsAMetricPerSetting()
    {
        using MeterListener listener = new();
        ConcurrentQueue<(double Seconds, object? Setting)> measured = new();
        listener.InstrumentPublished = (instrument, own) =>
        {
            if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name == "worker.certificate.remaining")
            {
                own.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<double>((_, value, tags, _) =>
        {
            Dictionary<string, object?> named = new(tags.ToArray());
            if (named["worker.route"] is "certificate-metric")
            {
                measured.Enqueue((value, named["worker.setting"]));
            }
        });
        listener.Start();
        using PresentedCertificate certificate = Open(TimeSpan.FromDays(2), route: "certificate-metric");
        _time.Advance(TimeSpan.FromHours(1));

        listener.RecordObservableInstruments();

        measured.ShouldBe([(TimeSpan.FromHours(47).TotalSeconds, Setting)]);
    }

    [Fact]
    public void Renewal_FilesAreReplaced_IsReadWithinAMinute()
    {
        using PresentedCertificate certificate = Open(TimeSpan.FromDays(1));
        string before = certificate.Chain[0].Thumbprint;
        Write(TimeSpan.FromDays(90), TimeSpan.FromDays(-1));

        _time.Advance(TimeSpan.FromMinutes(1));

        certificate.Chain[0].Thumbprint.ShouldNotBe(before);
        certificate.Chain[0].HasPrivateKey.ShouldBeTrue();
        _log.Entries[^1].Text.ShouldBe($"Route orders: the certificate of {Setting} was renewed and is valid until 2026-04-01 00:00 UTC");
    }

    [Fact]
    public void Renewal_FilesDoNotFit_KeepsTheCertificateAndSaysSo()
    {
        using PresentedCertificate certificate = Open(TimeSpan.FromDays(30));
        string before = certificate.Chain[0].Thumbprint;
        File.WriteAllText(KeyFile, "no key");

        _time.Advance(TimeSpan.FromMinutes(3));

        certificate.Chain[0].Thumbprint.ShouldBe(before);
        LogEntry warning = _log.Entries.ShouldHaveSingleItem();
        warning.Id.Id.ShouldBe(1114);
        warning.Text.ShouldContain("keeps the certificate that it has, which ends at 2026-01-31 00:00 UTC");
    }

    [Fact]
    public void Open_UnreadableFile_EndsTheStart()
    {
        StartupException exception =
            Should.Throw<StartupException>(() => new PresentedCertificate(Setting, "orders", "/nowhere/c.pem", null, null, _time, _log).Dispose());

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldStartWith($"{Setting} /nowhere/c.pem: must be a certificate");
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static X509Certificate2 Create(string name, ECDsa key, DateTimeOffset end, DateTimeOffset? begin = null) =>
        new CertificateRequest(name, key, HashAlgorithmName.SHA256).CreateSelfSigned(begin ?? DateTimeOffset.UnixEpoch, end);

    private PresentedCertificate Open(TimeSpan end, TimeSpan? begin = null, string route = "orders")
    {
        Write(end, begin ?? TimeSpan.FromDays(-1));
        return new PresentedCertificate(Setting, route, CertificateFile, KeyFile, password: null, _time, _log);
    }

    private void Write(TimeSpan end, TimeSpan begin)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 certificate = Create("CN=localhost", key, Now + end, Now + begin);
        File.WriteAllText(CertificateFile, certificate.ExportCertificatePem());
        File.WriteAllText(KeyFile, key.ExportPkcs8PrivateKeyPem());
    }
}
