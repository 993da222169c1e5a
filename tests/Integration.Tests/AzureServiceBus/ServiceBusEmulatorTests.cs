using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.AzureServiceBus;

/// <summary>The emulator behaves as the real broker where other tests depend on it.</summary>
public sealed class ServiceBusEmulatorTests
{
    // A message as other clients than Microsoft's send it, with a header and properties that are empty lists. What the emulator adds to the one must not
    // be in the other, nor in anything that is read later.
    private const string Script =
        """
        import { createRequire } from "node:module";
        const { Message } = await import(process.argv[1] + "/message.mjs");
        const { message, types } = createRequire(process.argv[1] + "/")("rhea");
        const empty = Buffer.from("0053704500537345005375a003616263", "hex");
        const first = message.decode(new Message(empty).encode());
        console.log(`durable ${first.durable}, id ${first.message_id?.length}, list ${new types.Reader(Buffer.from([0x45])).read().value.length}`);
        """;

    [Fact]
    public async Task Encode_MessageWithEmptySections_ChangesNothingElse()
    {
        string folder = RepositoryFolder.Combine("tests", "servers", "servicebus");
        string node;
        try
        {
            node = await NodeRuntime.LocateAsync();
            await NodeRuntime.InstallPackagesAsync(folder);
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }

        await using CapturedProcess process = CapturedProcess.Start(node, "--input-type=module", "--eval", Script, folder);

        (await process.WaitForLineAsync("^durable ")).Text.ShouldBe("durable undefined, id 32, list 0");
    }
}
