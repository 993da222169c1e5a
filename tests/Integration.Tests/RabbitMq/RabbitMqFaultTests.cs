using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.RabbitMq;

/// <summary>A broker that restarts, that is short of memory, and that lacks rights for the worker: a broker of the test's own.</summary>
[Trait("Category", "Long")]
public sealed class RabbitMqFaultTests
{
    [Fact]
    public async Task Broker_RestartsShortOfMemoryAndRights_LosesNothing()
    {
        await using OwnRabbitMq broker = await OwnRabbitMq.RequireAsync();
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(broker.Address);
        await using DirectoryUnderTest sink = new();

        // No right to read: the start ends.
        await broker.AddUserAsync("writer", write: ".*", read: string.Empty);
        WorkerCommand refused = await WorkerCommand.RunAsync(
            [.. RunningWorker.CommonArguments, .. queue.Arguments, .. sink.Arguments, "--Sources:RabbitMq:User=writer"],
            [.. queue.Environment, KeyValuePair.Create("Sources__RabbitMq__Password", "word")]);
        refused.ExitCode.ShouldBe(77, refused.Text);
        refused.Error.ShouldContain("right to read the queue");

        ArchiveMessage[] before = ArchiveMessage.CreateMany("before", 200);
        await queue.SendAsync(before);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, before.Length);

        // A restart: connects again by itself.
        await broker.RestartAsync();
        await worker.Process.WaitForLineAsync("receiving from RabbitMQ works again");
        await queue.ReconnectAsync();
        ArchiveMessage[] after = ArchiveMessage.CreateMany("after", 200);
        await queue.SendAsync(after);
        await StoredAsync(sink, before.Length + after.Length);
        await worker.WaitForHealthAsync(HttpStatusCode.OK);

        (await worker.StopAsync()).ShouldBe(0);

        // Short of memory: messages are received and acknowledged, dead letters wait.
        ArchiveMessage later = ArchiveMessage.Create("later");
        await Task.WhenAll(queue.SendAsync("{"u8.ToArray(), "malformed"), queue.SendAsync(later.Body, later.Id));
        await broker.SetAlarmAsync(isSet: true);
        await using RunningWorker blocked = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, before.Length + after.Length + 1);
        await blocked.Process.WaitForLineAsync("RabbitMQ accepts no dead letters .*low on memory");
        await blocked.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable);
        (await queue.CountAsync(queue.DeadLetters)).ShouldBe(0u);
        await broker.SetAlarmAsync(isSet: false);
        (await queue.TakeDeadLettersAsync(1)).ShouldHaveSingleItem().BasicProperties.MessageId.ShouldBe("malformed");
        await blocked.WaitForHealthAsync(HttpStatusCode.OK);

        (await blocked.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync([.. before, .. after, later]);
        (await queue.CountAsync()).ShouldBe(0u);
    }

    [Fact]
    public async Task Tls_BrokerAsksForACertificate_IsTrustedOnlyByItsAuthority()
    {
        string folder = Directory.CreateTempSubdirectory("tls-").FullName;
        WriteCertificates(folder);
        int port = FreePort.Next();
        await using OwnRabbitMq broker = await OwnRabbitMq.RequireAsync($"""

            listeners.ssl.default = 127.0.0.1:{port}
            ssl_options.cacertfile = {folder}/ca.pem
            ssl_options.certfile = {folder}/own.pem
            ssl_options.keyfile = {folder}/own.key
            ssl_options.verify = verify_peer
            ssl_options.fail_if_no_peer_cert = true

            """);
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(broker.Address);
        await using DirectoryUnderTest sink = new();
        ArchiveMessage message = ArchiveMessage.Create("sealed");
        await queue.SendAsync([message]);
        string[] own = [$"--Sources:RabbitMq:ClientCertificate={folder}/own.pem", $"--Sources:RabbitMq:ClientCertificateKey={folder}/own.key"];

        WorkerCommand untrusted = await WorkerCommand.RunAsync(
            [.. RunningWorker.CommonArguments, .. queue.Arguments, .. sink.Arguments, .. own],
            RabbitMqQueue.ToEnvironment($"amqps://guest:guest@localhost:{port}/"));
        untrusted.ExitCode.ShouldBe(78, untrusted.Text);
        untrusted.Error.ShouldContain("check the broker's certificate");

        // The certificate is of localhost.
        WorkerCommand other = await WorkerCommand.RunAsync(
            [.. RunningWorker.CommonArguments, .. queue.Arguments, .. sink.Arguments, .. own, $"--Sources:RabbitMq:CaCertificate={folder}/ca.pem"],
            RabbitMqQueue.ToEnvironment($"amqps://guest:guest@127.0.0.1:{port}/"));
        other.ExitCode.ShouldBe(78, other.Text);

        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. queue.Arguments, .. sink.Arguments, .. own, $"--Sources:RabbitMq:CaCertificate={folder}/ca.pem"],
            RabbitMqQueue.ToEnvironment($"amqps://guest:guest@localhost:{port}/"));
        await StoredAsync(sink, 1);
        (await worker.StopAsync()).ShouldBe(0);
        Directory.Delete(folder, recursive: true);
    }

    private static void WriteCertificates(string folder)
    {
        DateTimeOffset from = DateTimeOffset.UtcNow.AddDays(-1);
        using RSA authorityKey = RSA.Create(2048);
        CertificateRequest authority = new("CN=authority", authorityKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        authority.CertificateExtensions.Add(
            new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, pathLengthConstraint: 0, critical: true));
        using X509Certificate2 root = authority.CreateSelfSigned(from, from.AddDays(10));
        using RSA key = RSA.Create(2048);
        CertificateRequest own = new("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        SubjectAlternativeNameBuilder names = new();
        names.AddDnsName("localhost");
        own.CertificateExtensions.Add(names.Build());
        using X509Certificate2 signed = own.Create(root, from, from.AddDays(5), [1, 2, 3]);
        File.WriteAllText(Path.Combine(folder, "ca.pem"), root.ExportCertificatePem());
        File.WriteAllText(Path.Combine(folder, "own.pem"), signed.ExportCertificatePem());
        File.WriteAllText(Path.Combine(folder, "own.key"), key.ExportPkcs8PrivateKeyPem());
    }

    private static Task StoredAsync(DirectoryUnderTest sink, int count) => Eventually.BecomesTrueAsync(
        async () => (await sink.ReadAllAsync()).Count >= count, $"{count} objects are stored", TimeSpan.FromMinutes(2));
}
